import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { root } from './root.js'

const orvalConfig =
  "module.exports = { canopy: { input: 'openapi.yaml', output: { target: 'orval.ts', client: 'fetch' } } }"

/** The recipes of docs/clients.md: a command, and a file that it writes. */
const recipes = [
  { command: 'openapi-typescript@7.13.0 openapi.yaml --output canopy.ts', written: 'canopy.ts' },
  // Its peer would be TypeScript 7, which it cannot use.
  {
    command:
      '--package=typescript@5.9.3 --package=@hey-api/openapi-ts@0.95.0 openapi-ts --input openapi.yaml --output heyApi --client @hey-api/client-fetch',
    written: 'heyApi/types.gen.ts',
  },
  { command: 'orval@7.13.2 --config ./orval.config.cjs', written: 'orval.ts' },
  {
    command: 'swagger-typescript-api@13.13.0 generate --path openapi.yaml --output swagger --name api.ts',
    written: 'swagger/api.ts',
  },
]

/** Each downloads its generator. */
const limits = { timeout: 600_000 }

it.concurrent.for(recipes)('in an empty folder, npx $command', limits, async ({ command, written }, context) => {
  const folder = mkdtempSync(join(tmpdir(), 'canopy-generator-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true }))
  copyFileSync(join(root, 'apps/server/src/openapi/openapi.yaml'), join(folder, 'openapi.yaml'))
  writeFileSync(join(folder, 'orval.config.cjs'), orvalConfig)
  await promisify(execFile)('npx', ['--yes', ...command.split(' ')], { cwd: folder })
  expect(readFileSync(join(folder, written), 'utf8')).toMatch(/last_modified: .*U64/)
})
