import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import * as original from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'

const replacement = new URL('../../fp-ts/TaskEither.mjs', import.meta.url).href
const replaced: typeof original = await import(replacement)

const fails = (reason: unknown): never => {
  throw reason
}

const heldByCalls = (module: string, calls: number): number =>
  Number(
    execFileSync(process.execPath, [
      '--expose-gc',
      fileURLToPath(new URL('heldByCalls.mjs', import.meta.url)),
      module,
      `${calls}`,
    ]),
  )

describe('the TaskEither of fp-ts that the bundle has', () => {
  it.each([
    ['gives', () => Promise.resolve(1), E.right(1)],
    ['rejects', () => Promise.reject('why'), E.left('told why')],
    ['throws', () => fails('why'), E.left('told why')],
  ])('tells in the same way of a promise that %s', async (_, promise, told) => {
    for (const { tryCatch } of [original, replaced])
      expect(await tryCatch(promise, (reason) => `told ${String(reason)}`)()).toEqual(told)
  })

  it('rejects in the same way when nothing can be told', async () => {
    for (const { tryCatch } of [original, replaced])
      await expect(tryCatch(() => Promise.reject('why'), fails)()).rejects.toBe('why')
  })

  it('holds nothing of calls that have come to their end; the original does', () => {
    expect(heldByCalls(replacement, 20)).toBe(0)
    expect(heldByCalls(import.meta.resolve('fp-ts/lib/TaskEither.js'), 20)).toBe(20)
  })

  it('has all the others as they are', () => {
    expect(Object.keys(replaced).sort()).toEqual(Object.keys(original).sort())
    expect(replaced.of(1)).toBeTypeOf('function')
  })
})
