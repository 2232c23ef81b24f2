import * as O from 'fp-ts/lib/Option.js'
import * as AccessToken from '../src/AccessToken.js'
import * as Name from '../src/Name.js'
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
export const userId = legal('user id', UserId.fromDecimal)
export const token = legal('token', AccessToken.fromString)
export const u64 = U64.clamp

export const settings = (set: Readonly<Record<string, Visibility>>): ReadonlyMap<StoragePath.StoragePath, Visibility> =>
  new Map(Object.entries(set).map(([text, visibility]) => [path(text), visibility]))
