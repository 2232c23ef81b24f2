import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import * as Failure from '../src/Failure.js'
import * as Items from '../src/Items.js'
import { fileOperations, operations } from '../src/operations.js'
import type { ListEnv, NodeAtEnv, OpenFileEnv, Signal } from '../src/ports.js'
import * as Tree from '../src/Tree.js'
import { readArchive, readFile } from './files.js'
import { portsOf, registryWith } from './registry.js'
import { dir, path, set, storageOf, textFile } from './support.js'

const signal: Signal = { aborted: false, addEventListener: constVoid, removeEventListener: constVoid }
const settings = set({ '/': 'public', '/closed': 'private', '/closed/f/x/y': 'public' })
const storage = storageOf([dir('closed', textFile('f', 'f')), dir('gone'), dir('r', textFile('g', 'g'))])

/** A storage in which one directory is gone. It records the calls that do not get the signal. */
const recording = () => {
  const without: Array<string> = []
  const check = (call: string, options: { readonly signal?: Signal | undefined } | undefined): void => {
    if (options?.signal !== signal) without.push(call)
  }
  const ports: NodeAtEnv & ListEnv & OpenFileEnv = {
    nodeAt: (area, at, options) => {
      check(`nodeAt ${at}`, options)
      return storage.nodeAt(area, at)
    },
    list: (area, at, options) => {
      check(`list ${at}`, options)
      return at === path('/gone') ? async () => E.left(Failure.fileNotFound) : storage.list(area, at, options)
    },
    openFile: (area, at, options) => {
      check(`openFile ${at}`, options)
      return storage.openFile(area, at)
    },
  }
  return { without, ports: { ...portsOf(registryWith(settings), ports), ...ports } }
}

type AllPorts = ReturnType<typeof recording>['ports']

const visitorOf = (at: string) => ({ user: '7', path: at, signal })

it.each<[string, (ports: AllPorts) => TE.TaskEither<unknown, unknown>]>([
  [
    'a tree, one directory of which is gone',
    (ports) => pipe(operations.userContentTree(visitorOf(''), Tree.unbounded)(ports), TE.flatMap(Tree.collect)),
  ],
  [
    'a listing',
    (ports) => pipe(operations.userContentDirItems(visitorOf('/r'), Items.unbounded)(ports), TE.flatMap(Items.collect)),
  ],
  [
    'a path through a file that a visitor may not reach',
    (ports) => operations.userContentTree(visitorOf('/closed/f/x/y'), Tree.unbounded)(ports),
  ],
  ['a file', (ports) => pipe(fileOperations.userContentFile(visitorOf('/r/g'))(ports), TE.flatMap(readFile))],
  ['a directory requested as a file', (ports) => fileOperations.userContentFile(visitorOf('/r'))(ports)],
  [
    'an archive',
    (ports) =>
      pipe(fileOperations.userContentArchive(visitorOf('/r'), Tree.unbounded)(ports), TE.flatMap(readArchive('/r'))),
  ],
])('every call of the storage gets the signal of a request for %s', async (_, run) => {
  const { ports, without } = recording()
  await run(ports)()
  expect(without).toEqual([])
})
