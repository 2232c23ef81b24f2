import { StoragePath } from '@canopy/domain'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import type { WorldAccount, WorldNode } from '../World.js'
import { alike } from './name.js'

/** A path relative to what an area holds, chosen before the area is known: so that each shrinks without the other. */
export interface Place {
  /** Which node of the area, counted around; 0 is the root. */
  readonly node: number
  /** Added to the node's name: a sibling whose name begins alike, or nothing that exists. */
  readonly suffix: string
  /** Names below the node, which may be a file, or have no such child. */
  readonly below: ReadonlyArray<string>
}

const pathsBelow = (parent: string, nodes: ReadonlyArray<WorldNode>): ReadonlyArray<string> =>
  nodes.flatMap((node) => {
    const path = `${parent}/${node.name}`
    return node.type === 'dir' ? [path, ...pathsBelow(path, node.content)] : [path]
  })

/** The root and the path of every node, also of those that a request cannot find. */
export const pathsOf = (area: WorldAccount['area']): ReadonlyArray<string> => [
  '/',
  ...pathsBelow('', area === 'missing' ? [] : area),
]

/** The path of a place in an area with these paths. */
export const locate =
  (paths: ReadonlyArray<string>) =>
  ({ node, suffix, below }: Place): StoragePath.StoragePath => {
    const path = paths[node % paths.length] ?? '/'
    const named = path === '/' ? '' : `${path}${suffix}`
    return O.getOrElse(() => StoragePath.root)(
      StoragePath.fromString(`${named}/${below.join('/')}`.replace(/(?<=.)\/$/, '')),
    )
  }

const rarely = <A>(usual: A, rare: fc.Arbitrary<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: rare })

/** Mostly a node that exists; sometimes below a file, missing, or beginning like another. */
export const place: fc.Arbitrary<Place> = fc.record({
  node: fc.nat({ max: 30 }),
  suffix: rarely('', fc.constantFrom('.', 'b', '2')),
  below: rarely<ReadonlyArray<string>>([], fc.array(alike, { minLength: 1, maxLength: 2 })),
})
