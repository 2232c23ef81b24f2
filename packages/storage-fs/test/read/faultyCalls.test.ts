import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, describe, expect, it } from 'vitest'
import { at, dir, file, inArea, type TemporaryArea, unpacked } from '../temporaryArea.js'

const calls = [
  'openSync',
  'readlinkSync',
  'fstatSync',
  'lstatSync',
  'statSync',
  'statfsSync',
  'readdirSync',
  'closeSync',
] as const
const codes = ['ENOMEM', 'EIO', 'EMFILE', 'EACCES'] as const

type Call = (typeof calls)[number]

const real = { ...fs }
const functions: Record<Call, (...parameters: ReadonlyArray<never>) => unknown> = fs

/** Makes some of the calls fail. Returns a function that returns the number of calls. */
const failing = (call: Call, code: string, isFailing: (count: number) => boolean): (() => number) => {
  let count = 0
  functions[call] = (...parameters) => {
    const isFaulty = isFailing(count)
    count += 1
    const thrown = Object.assign(new Error(`${code}: injected, ${call}`), { code })
    if (!isFaulty) return Reflect.apply(real[call], fs, parameters)
    // Otherwise the descriptor would leak.
    if (call === 'closeSync') Reflect.apply(real[call], fs, parameters)
    throw thrown
  }
  syncBuiltinESMExports()
  return () => count
}

const stopFailing = (): void => {
  for (const call of calls) functions[call] = real[call]
  syncBuiltinESMExports()
}

const tree = [dir('d', dir('e', file('f', 3n), dir('g')), file('h', 5n))]
const paths = ['/', '/d', '/d/e', '/d/e/f', '/d/e/f/x', '/d/h', '/missing/x', '/d/missing']

const answersOf = async ({ ports, area }: TemporaryArea, path: string) => [
  await ports.nodeAt(area, at(path))(),
  E.map(unpacked)(await ports.list(area, at(path))()),
]

const isExternal = (answer: E.Either<Failure.OfStorage, unknown>): boolean =>
  E.isLeft(answer) && answer.left.error === 'external'

/** Reports whether a listing names an entry that cannot be examined. */
const saysWhatItMisses = (answer: E.Either<Failure.OfStorage, object>): boolean =>
  E.isRight(answer) && 'unknown' in answer.right && answer.right.unknown !== undefined

describe('a call of the system that fails', () => {
  afterEach(stopFailing)

  describe.each(calls)('%s', (call) => {
    it.each(codes)('with %s leaves each answer right or `external`', (code) =>
      inArea(tree, async (area) => {
        const wrong: Array<unknown> = []
        for (const path of paths) {
          const whole = await answersOf(area, path)
          const check = (answers: Awaited<ReturnType<typeof answersOf>>, when: string): void => {
            for (const [index, answer] of answers.entries()) {
              const isHonest = isExternal(answer) || saysWhatItMisses(answer) || isDeepStrictEqual(answer, whole[index])
              if (!isHonest) wrong.push([path, when, answer])
            }
          }
          failing(call, code, () => true)
          check(await answersOf(area, path), 'always')
          for (let failed = 0, made = 1; failed < made; failed += 1) {
            const count = failing(call, code, (index) => index === failed)
            check(await answersOf(area, path), `call ${failed}`)
            made = count()
          }
          stopFailing()
        }
        expect(wrong).toEqual([])
      }),
    )
  })

  it('with ENOENT for an open file is `external`', () =>
    inArea(tree, async (area) => {
      for (const call of ['readlinkSync', 'fstatSync', 'readdirSync'] as const)
        for (const code of ['ENOENT', 'ENOTDIR', 'ELOOP']) {
          failing(call, code, () => true)
          const [, listing = E.left(Failure.fileNotFound)] = await answersOf(area, '/d')
          // No call fails in another process.
          expect([call, code, isExternal(listing) || E.isRight(listing)]).toEqual([call, code, true])
          stopFailing()
        }
    }))
})
