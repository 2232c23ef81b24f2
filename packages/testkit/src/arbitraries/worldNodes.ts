import { U64 } from '@canopy/domain'
import * as fc from 'fast-check'
import { identity } from 'fp-ts/lib/function.js'
import type { WorldDirectory, WorldFile, WorldNode, WorldOther } from '../World.js'
import { alike, name } from './name.js'
import { u64UpTo } from './u64.js'

/** What a real disk can hold is less than what the interface can say. */
export interface WorldBounds {
  readonly maxSize?: bigint
  readonly maxTime?: bigint
  /** Whether some directories are locked, and some entries dead; none where nothing is said. */
  readonly faults?: boolean
}

type Nodes = {
  readonly file: WorldFile
  readonly dir: WorldDirectory
  readonly other: WorldOther
  /** A file or a directory: what a request can find. */
  readonly findable: WorldFile | WorldDirectory
  readonly content: WorldNode[]
}

const nodeName = fc.oneof({ withCrossShrink: true }, { weight: 2, arbitrary: alike }, { weight: 1, arbitrary: name })

// An undecodable name still needs room for its invalid bytes.
const other: fc.Arbitrary<WorldOther> = fc.oneof(
  fc.record({ type: fc.constantFrom('fifo', 'undecodable'), name: alike }, { noNullPrototype: true }),
  fc.record(
    { type: fc.constant('link'), name: alike, target: fc.constantFrom('a', '.', '..', '/', '../a', 'missing') },
    { noNullPrototype: true },
  ),
)

const dead: fc.Arbitrary<WorldOther> = fc.record({ type: fc.constant('dead'), name: alike }, { noNullPrototype: true })

const locking = (directory: fc.Arbitrary<WorldDirectory>): fc.Arbitrary<WorldDirectory> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: 23, arbitrary: directory },
    { weight: 1, arbitrary: directory.map((each): WorldDirectory => ({ ...each, locked: true })) },
  )

const nodes = ({ maxSize = U64.largest, maxTime = U64.largest, faults = false }: WorldBounds) =>
  fc.letrec<Nodes>((tie) => ({
    file: fc.record(
      {
        type: fc.constant('file'),
        name: nodeName,
        size: u64UpTo(maxSize),
        last_modified: u64UpTo(maxTime),
      },
      { noNullPrototype: true },
    ),
    dir: (faults ? locking : identity)(
      fc.record(
        {
          type: fc.constant('dir'),
          name: nodeName,
          last_modified: u64UpTo(maxTime),
          content: tie('content'),
        },
        { noNullPrototype: true },
      ),
    ),
    other: faults
      ? fc.oneof({ withCrossShrink: true }, { weight: 9, arbitrary: other }, { weight: 1, arbitrary: dead })
      : other,
    findable: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie('file'), tie('dir')),
    content: fc.uniqueArray(
      fc.oneof({ weight: 8, arbitrary: tie('findable') }, { weight: 1, arbitrary: tie('other') }),
      { maxLength: 5, selector: (node) => node.name },
    ),
  }))

/** Anything that may stand in a directory, with all below it. */
export const worldNode = (): fc.Arbitrary<WorldNode> => {
  const { findable } = nodes({})
  return fc.oneof({ weight: 8, arbitrary: findable }, { weight: 1, arbitrary: other })
}

/** Two names of which one begins with the other; `-`, `.` and space sort before `/`, the others after it. */
const prefixSharing = fc.record({
  stem: fc.constantFrom('a', 'photos', '0', '\u00e9', '\u{1f600}'),
  more: fc.constantFrom('.', 'b', '-b', ' ', '2', '%2F', '\u0301', '\u{10000}'),
})

/** What the root of an area holds. Two siblings whose names begin alike are always among it. */
export const worldNodes = (bounds: WorldBounds = {}): fc.Arbitrary<ReadonlyArray<WorldNode>> => {
  const { findable, content } = nodes(bounds)
  return fc
    .record({ first: findable, second: findable, others: content, names: prefixSharing })
    .map(({ first, second, others, names: { stem, more } }) => [
      ...others.filter((node) => node.name !== stem && node.name !== `${stem}${more}`),
      { ...second, name: `${stem}${more}` },
      { ...first, name: stem },
    ])
}
