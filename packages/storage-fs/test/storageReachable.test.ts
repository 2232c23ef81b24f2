import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StorageRoot } from '../src/StorageRoot.js'
import { storageReachable } from '../src/storageReachable.js'
import { asNobody } from './asNobody.js'

const codeOf = async (root: string): Promise<unknown> => {
  const answer = await storageReachable(root as StorageRoot)()
  return E.isRight(answer) ? 'reachable' : (answer.left.cause as NodeJS.ErrnoException).code
}

describe('the root of the storage', () => {
  let root = ''
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'canopy-root-'))
  })
  afterEach(() => rm(root, { recursive: true }))

  it('is reachable while it is a directory', async () => {
    expect(await codeOf(root)).toBe('reachable')
  })

  it('is not when it is missing or a file', async () => {
    await writeFile(join(root, 'file'), '')
    expect(await codeOf(join(root, 'missing'))).toBe('ENOENT')
    expect(await codeOf(join(root, 'file'))).toBe('ENOTDIR')
  })

  it('is not when it may not be entered', async () => {
    await chmod(root, 0o600)
    expect(await asNobody(() => codeOf(root))).toBe('EACCES')
    await chmod(root, 0o700)
  })
})
