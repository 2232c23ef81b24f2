import { Envelope, operations, Tree } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { collectLines } from '../../src/backends/collectLines.js'
import { type Interleaved, interleavings } from '../../src/interleavings/interleavings.js'
import { mutableMemory } from '../../src/memoryPorts.js'
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
  if (ask.operation !== 'userContentTree') return askInProcess(ports)(ask)
  const { credential, path, lines } = ask
  const bounds = E.getOrElse(() => Tree.unbounded)(Tree.bounds({ lines }))
  const body = await pipe(
    operations.userContentTree({ user: credential, path }, bounds)(ports),
    TE.map((top) => (top.type === 'dir' ? readAhead(top) : top)),
    TE.flatMap((top) =>
      lines === undefined ? TE.map(Envelope.treeJson)(Tree.collect(top)) : collectLines(top, bounds),
    ),
  )()
  return E.isRight(body) ? { body: body.right } : { error: body.left.error }
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

const broken = [
  ...brokenOperations.map(([what, law, operation]) => [what, law, { operation }] as const),
  ...brokenReaders,
]

describe('interleavings detect an operation that', () => {
  it.each(broken)('%s', async (_, law, subject) => {
    const detecting = interleavings.filter(({ name }) => name === law)
    const open = mutableMemory({ pageEntries: 1 })
    const found = await Promise.all(detecting.map(({ violations }) => violations({ open, ...subject })))
    expect(found).toEqual([expect.arrayContaining([expect.any(String)])])
  })
})
