import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import * as Failure from '../src/Failure.js'
import { concealMismatch } from '../src/operations.js'
import type { NodeAtEnv } from '../src/ports.js'
import * as View from '../src/View.js'
import { area, dir, file, path, set, shouldNotBeCalled, storageOf } from './support.js'

const { fileNotFound, typeMismatch } = Failure
const external = Failure.external('EIO')
const storage = storageOf([file('f'), dir('d', file('g'))])
const untouched: NodeAtEnv = { nodeAt: shouldNotBeCalled }
const down: NodeAtEnv = { nodeAt: () => TE.left(external) }
const deepInFile = { '/f': 'hidden', '/f/x': 'private', '/f/x/y': 'public' } as const
const privateFile = { '/': 'public', '/f': 'private', '/f/x': 'public' } as const

type Failed = Parameters<ReturnType<typeof concealMismatch>>[0]

describe('a visitor learns of a file in the way only when they may reach that file', () => {
  it.each<[string, Parameters<typeof set>[0], string, NodeAtEnv, Failed, Failed]>([
    ['a file that they may reach is a type mismatch', deepInFile, '/f/x/y', storage, typeMismatch, typeMismatch],
    ['a private file is not there', privateFile, '/f/x', storage, typeMismatch, fileNotFound],
    ['nor is one where nothing is set', { '/f/x': 'public' }, '/f/x/y', storage, typeMismatch, fileNotFound],
    ['one that is asked for itself is a mismatch', { '/d/g': 'public' }, '/d/g', storage, typeMismatch, typeMismatch],
    ['nothing is asked below what they may reach', { '/': 'public' }, '/f/x', untouched, typeMismatch, typeMismatch],
    ['a storage that fails is external', { '/f/x': 'public' }, '/f/x', down, typeMismatch, external],
    ['what is not found stays so', { '/f/x': 'public' }, '/f/x', untouched, fileNotFound, fileNotFound],
    ['what is external stays so', { '/f/x': 'public' }, '/f/x', untouched, external, external],
  ])('%s', async (_, settings, at, ports, failed, seen) => {
    const asked = { view: View.ofVisitor(area, set(settings)), requested: { path: path(at), mustBeDirectory: false } }
    expect(await concealMismatch(asked)(failed)(ports)()).toStrictEqual(E.left(seen))
  })
})
