import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import * as Failure from '../src/Failure.js'
import { concealMismatch } from '../src/operations.js'
import type { NodeAtEnv } from '../src/ports.js'
import * as View from '../src/View.js'
import { area, dir, file, path, set, shouldNotBeCalled, storageOf } from './support.js'

type Set = Parameters<typeof set>[0]

const seen = (
  settings: Set,
  at: string,
  storage: NodeAtEnv,
  failure: Parameters<ReturnType<typeof concealMismatch>>[0] = Failure.typeMismatch,
) =>
  concealMismatch({
    view: View.ofVisitor(area, set(settings)),
    requested: { path: path(at), mustBeDirectory: false },
  })(failure)(storage)()

describe('a visitor learns of a file in the way only when they may reach that file', () => {
  const storage = storageOf([file('f'), dir('d', file('g'))])

  it('a file that they may reach is a type mismatch', async () => {
    const settings: Set = { '/f': 'hidden', '/f/x': 'private', '/f/x/y': 'public' }
    expect(await seen(settings, '/f/x/y', storage)).toStrictEqual(E.left(Failure.typeMismatch))
  })

  it('a private file is not there', async () => {
    expect(await seen({ '/': 'public', '/f': 'private', '/f/x': 'public' }, '/f/x', storage)).toStrictEqual(
      E.left(Failure.fileNotFound),
    )
    expect(await seen({ '/f/x': 'public' }, '/f/x/y', storage)).toStrictEqual(E.left(Failure.fileNotFound))
  })

  it('a file in a private directory is a type mismatch when it is itself what was asked for', async () => {
    expect(await seen({ '/d/g': 'public' }, '/d/g', storage)).toStrictEqual(E.left(Failure.typeMismatch))
  })

  it('where every ancestor may be reached, nothing needs to be asked', async () => {
    expect(await seen({ '/': 'public' }, '/f/x', { nodeAt: shouldNotBeCalled })).toStrictEqual(
      E.left(Failure.typeMismatch),
    )
  })

  it('a storage that fails meanwhile is external', async () => {
    const external = Failure.external('EIO')
    expect(await seen({ '/f/x': 'public' }, '/f/x', { nodeAt: () => TE.left(external) })).toStrictEqual(
      E.left(external),
    )
  })

  it.each([Failure.fileNotFound, Failure.external('EIO')])(
    'any other failure stays as it is: $error',
    async (failure) => {
      expect(await seen({ '/f/x': 'public' }, '/f/x', { nodeAt: shouldNotBeCalled }, failure)).toStrictEqual(
        E.left(failure),
      )
    },
  )
})
