import * as E from 'fp-ts/lib/Either.js'
import type * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { memoryStorage } from '../../testkit/src/memoryPorts.js'
import { file, type WorldAccount, type WorldNode } from '../../testkit/src/World.js'
import * as Area from '../src/Area.js'
import type { AuthorizedRequest } from '../src/AuthorizedRequest.js'
import { authorizedRequest } from '../src/authorization.js'
import * as Items from '../src/Items.js'
import * as Name from '../src/Name.js'
import * as NamePattern from '../src/NamePattern.js'
import type { ListEnv, ListOptions, NodeAtEnv, OpenFileEnv } from '../src/ports.js'
import type * as Rules from '../src/Rules.js'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'
import * as U64 from '../src/U64.js'
import * as UserId from '../src/UserId.js'
import type { View } from '../src/View.js'
import type { Visibility } from '../src/Visibility.js'

export const succeeded = <A>(result: E.Either<unknown, A>): A => {
  if (E.isRight(result)) return result.right
  throw new Error(`left: ${JSON.stringify(result.left)}`)
}

const legal =
  <A>(parse: (text: string) => O.Option<A>) =>
  (text: string): A =>
    succeeded(E.fromOption(() => text)(parse(text)))

export const path = legal(StoragePath.fromString)
export const name = legal(Name.fromString)
export const pattern = legal(NamePattern.fromString)
export const u64 = U64.clamp

export const withRules = (
  settings: Settings.Settings,
  ...rules: ReadonlyArray<readonly [pattern: string, Rules.Rule['visibility']]>
): Settings.Settings => {
  const added = rules.map(([text, visibility]) => ({ pattern: pattern(text), visibility }))
  return succeeded(E.fromOption(() => 'the rules exceed their bounds')(Settings.addRules(settings, added)))
}

export const set = (settings: Readonly<Record<string, Visibility>>): Settings.Settings =>
  Settings.fromEntries(Object.entries(settings).map(([text, visibility]) => [path(text), visibility]))

export const page = (fields: Parameters<typeof Items.bounds>[0]): Items.Bounds => succeeded(Items.bounds(fields))

export const area: Area.Area = { owner: legal(UserId.fromDecimal)('7'), location: Area.location('here') }

export const nodesOf = ({ area }: WorldAccount): ReadonlyArray<WorldNode> => (area === 'missing' ? [] : area)

export { dir, file, settingsOf, textFile } from '../../testkit/src/World.js'

export const pageSizes = [undefined, 1, 2] as const

export const storageOf = (content: ReadonlyArray<WorldNode>, pageEntries?: number): NodeAtEnv & ListEnv & OpenFileEnv =>
  memoryStorage(() => content, { pageEntries })

export const numbered = (count: number): ReadonlyArray<WorldNode> =>
  Array.from({ length: count }, (_, index) => file(`${index}`.padStart(3, '0')))

export const logging = (storage: NodeAtEnv & ListEnv, at: string) => {
  const calls: Array<ListOptions> = []
  const list: ListEnv['list'] = (of, on, options) => () => {
    if (on === path(at)) calls.push(options ?? {})
    return storage.list(of, on, options)()
  }
  return { calls, storage: { ...storage, list } }
}

export const requestFor = (view: View, at: string): AuthorizedRequest<never> =>
  authorizedRequest<never>({
    requested: { path: path(at), mustBeDirectory: false },
    access: { view, visibility: Settings.visibilityAt(view.settings, path(at)) },
    read: TE.right,
    reject: TE.left,
  })

export const shouldNotBeCalled = (): never => {
  throw new Error('should not be called')
}
