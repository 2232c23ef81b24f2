import * as O from 'fp-ts/lib/Option.js'
import { memoryStorage, type WorldAccount, type WorldNode } from '../../testkit/src/World.js'
import * as Area from '../src/Area.js'
import * as Name from '../src/Name.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import type { Settings } from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as U64 from '../src/U64.js'
import * as UserId from '../src/UserId.js'
import type { Visibility } from '../src/Visibility.js'

const legal =
  <A>(kind: string, parse: (text: string) => O.Option<A>) =>
  (text: string): A => {
    const parsed = parse(text)
    if (O.isSome(parsed)) return parsed.value
    throw new Error(`this test says that ${JSON.stringify(text)} is a ${kind}: correct it`)
  }

/** Values as a test writes them down. */
export const path = legal('path', StoragePath.fromString)
export const name = legal('name', Name.fromString)
export const u64 = U64.clamp

export const set = (settings: Readonly<Record<string, Visibility>>): Settings =>
  new Map(Object.entries(settings).map(([text, visibility]) => [path(text), visibility]))

/** Some account's area; which one does not matter. */
export const area: Area.Area = { owner: legal('user id', UserId.fromDecimal)('7'), location: Area.location('here') }

/** What an area holds; nothing where it is missing. */
export const nodesOf = ({ area }: WorldAccount): ReadonlyArray<WorldNode> => (area === 'missing' ? [] : area)

export { dir, file, settingsMap as settingsOf } from '../../testkit/src/World.js'

/** The storage ports over plain data, for one area. */
export const storageOf = (content: ReadonlyArray<WorldNode>): NodeAtEnv & ListEnv => memoryStorage(() => content)

/** Stands for a port that the operation must not reach. */
export const shouldNotBeCalled = (): never => {
  throw new Error('should not be called')
}
