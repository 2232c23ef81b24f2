import { Envelope, operations, Tree } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { type Interleaved, interleavings } from '../../src/interleavings/interleavings.js'
import { mutableMemory } from '../../src/memoryPorts.js'
import type { Answer } from '../../src/scenarios/Scenario.js'
import { brokenOperations } from './brokenOperations.js'
import { archivesAsked, brokenReaders, filesAsked } from './readers.js'

const pagings = [
  ['pages of one entry', mutableMemory({ pageEntries: 1 })],
  ['a directory as one page', mutableMemory()],
] as const

const laws = interleavings.map((law) => [law.name, law] as const)

describe.each(pagings)('changes between the calls of an operation, over %s', (_, open) => {
  it.each(laws)('%s', async (_name, { violations }) => {
    expect(await violations({ open, operation: askInProcess })).toEqual([])
  })
})

/** Starts to read each directory as soon as its parent is listed, as a server does that reads ahead. */
const readAhead = <D extends Tree.Directory<Tree.Expansion>>(directory: D): D => {
  const children = directory.children().then(
    E.map((expansion) =>
      expansion.is === 'listed'
        ? {
            ...expansion,
            children: [...expansion.children].map((child) => (child?.type === 'dir' ? readAhead(child) : child)),
          }
        : expansion,
    ),
  )
  return { ...directory, children: () => children }
}

const askAhead: Interleaved['operation'] = (ports) => async (ask) => {
  if (ask.operation !== 'storageTree' && ask.operation !== 'userContentTree') return askInProcess(ports)(ask)
  const { credential, path } = ask
  const tree =
    ask.operation === 'storageTree'
      ? operations.storageTree({ token: credential, path }, Tree.unbounded)(ports)
      : operations.userContentTree({ user: credential, path }, Tree.unbounded)(ports)
  return pipe(
    await pipe(
      tree,
      TE.map((top) => (top.type === 'dir' ? readAhead(top) : top)),
      TE.flatMap(Tree.collect),
    )(),
    E.match(
      ({ error }): Answer => ({ error }),
      (node): Answer => ({ body: Envelope.treeJson(node) }),
    ),
  )
}

describe('changes while directories are read at the same time', () => {
  const names = ['a directory between becomes private', 'the requested directory goes away']
  it.each(laws.filter(([name]) => names.includes(name)))('%s', async (_, { violations }) => {
    expect(await violations({ open: mutableMemory(), operation: askAhead })).toEqual([])
  })
})

describe.each([
  ['a file', filesAsked],
  ['an archive', archivesAsked],
])('changes while %s is opened', (_, subject) => {
  it.each(laws)('%s', async (_name, { violations }) => {
    expect(await violations({ open: mutableMemory(), ...subject })).toEqual([])
  })
})

describe('interleavings detect a reader of files that', () => {
  it.each(brokenReaders)('%s', async (_, law, subject) => {
    const found = await interleavings
      .find(({ name }) => name === law)
      ?.violations({ open: mutableMemory(), ...subject })
    expect(found).toEqual(expect.arrayContaining([expect.any(String)]))
  })
})

describe('interleavings detect an operation that', () => {
  it.each(brokenOperations)('%s', async (_, law, operation) => {
    const detecting = interleavings.filter(({ name }) => name === law)
    const subject = { open: mutableMemory({ pageEntries: 1 }), operation }
    const found = await Promise.all(detecting.map(({ violations }) => violations(subject)))
    expect(found).toEqual([expect.arrayContaining([expect.any(String)])])
  })
})
