import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planted, root } from './planted.js'

/** What each room may not import, as a file that would do it. */
const forbidden = [
  ['packages/domain/src/a.ts', "import 'koa'"],
  ['packages/domain/src/b.ts', "import 'node:fs'"],
  ['packages/domain/src/c.ts', "import '@canopy/registry'"],
  ['packages/domain/src/d.ts', "import 'fast-check'"],
  ['packages/domain/src/e.ts', "import 'fp-ts/Either'"],
  ['packages/domain/src/f.ts', "import '../../registry/src/index.js'"],
  ['packages/domain/src/g.ts', "import 'io-ts/PathReporter'"],
  ['packages/storage-fs/src/a.ts', "import '@canopy/registry'"],
  ['packages/storage-fs/src/b.ts', "import '@canopy/server'"],
  ['packages/storage-fs/src/c.ts', "import '@canopy/testkit'"],
  ['packages/storage-fs/src/d.ts', "import '@canopy/test-support'"],
  ['packages/storage-s3/src/a.ts', "import '@canopy/storage-fs'"],
  ['packages/storage-s3/src/b.ts', "import '@canopy/testkit'"],
  ['packages/registry/src/a.ts', "import '@canopy/storage-fs'"],
  ['packages/registry/src/b.ts', "import '@canopy/storage-fs/admin'"],
  ['packages/registry/src/c.ts', "import '../../../apps/admin/src/main.js'"],
  ['packages/testkit/src/a.ts', "import '@canopy/registry'"],
  ['packages/testkit/src/b.ts', "import '@canopy/test-support'"],
  ['packages/client/src/b.ts', "import 'node:fs'"],
  ['packages/client/src/c.ts', "import '@canopy/testkit'"],
  ['packages/client/src/a.ts', "import '@canopy/registry'"],
  ['packages/client/src/d.ts', "import '@canopy/domain'"],
  ['packages/client/src/e.ts', "import 'io-ts'"],
  ['packages/client/src/f.ts', "import '../../domain/src/index.js'"],
  ['packages/client/src/g.ts', "import 'fp-ts/Either'"],
  ['packages/installation/src/a.ts', "import '@canopy/registry/admin'"],
  ['packages/installation/src/b.ts', "import '@canopy/storage-s3/admin'"],
  ['apps/explorer/src/a.ts', "import '@canopy/registry'"],
  ['apps/explorer/src/b.ts', "import 'node:fs'"],
  ['apps/harness/src/a.ts', "import '@canopy/server'"],
  ['apps/admin/src/a.ts', "import '@canopy/server'"],
  ['apps/server/src/a.ts', "import '@canopy/registry/admin'"],
  ['apps/server/src/b.ts', "import '@canopy/storage-fs/admin'"],
  ['apps/server/src/f.ts', "import '@canopy/storage-s3/admin'"],
  ['apps/server/src/c.ts', "import '@canopy/testkit'"],
  ['apps/server/src/e.ts', "import '@canopy/test-support'"],
  ['apps/server/src/d.ts', "import 'fp-ts/Either'"],
] as const

const allowed = [
  [
    'packages/domain/src/ok.ts',
    "import 'fp-ts/lib/Either.js'\nimport 'io-ts'\nimport 'io-ts/lib/PathReporter.js'\nimport './a.js'",
  ],
  ['packages/storage-fs/src/ok.ts', "import '@canopy/domain'\nimport 'node:fs'"],
  ['packages/storage-s3/src/ok.ts', "import '@canopy/domain'\nimport '@aws-sdk/client-s3'"],
  ['packages/registry/src/ok.ts', "import '@canopy/domain'\nimport 'kysely'\nimport 'node:fs'"],
  ['packages/client/src/ok.ts', "import 'fp-ts/lib/Either.js'\nimport './a.js'"],
  [
    'apps/server/src/ok.ts',
    "import '@canopy/registry'\nimport '@canopy/storage-fs'\nimport '@canopy/storage-s3'\nimport 'koa'",
  ],
  ['apps/explorer/src/ok.ts', "import '@canopy/client'\nimport '@canopy/domain'\nimport 'preact'"],
  ['apps/harness/src/ok.ts', "import '@canopy/testkit'\nimport '@canopy/registry/admin'"],
  ['apps/admin/src/ok.ts', "import '@canopy/registry/admin'\nimport '@canopy/storage-fs/admin'"],
] as const

describe('the layers', () => {
  const directory = planted([...forbidden, ...allowed])
  let report = ''

  beforeAll(() => {
    report = spawnSync(process.execPath, [join(root, 'node_modules/oxlint/bin/oxlint'), '--format=unix'], {
      cwd: directory,
      encoding: 'utf8',
    }).stdout
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  const complaints = (file: string): ReadonlyArray<string> =>
    report.split('\n').filter((line) => line.includes(file) && line.includes('no-restricted-imports'))

  it.each(forbidden)('%s may not say %s', (file) => {
    expect(complaints(file)).not.toEqual([])
  })

  it.each(allowed)('%s may say what it needs', (file) => {
    expect(complaints(file)).toEqual([])
  })
})
