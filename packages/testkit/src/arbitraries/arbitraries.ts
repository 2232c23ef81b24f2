import { StoragePath, View } from '@canopy/domain'
import * as fc from 'fast-check'
import type { Ask } from '../scenarios/Scenario.js'
import { settingsMap, type World, type WorldAccount, type WorldNode } from '../World.js'
import { illegalRawPath, name, rawOf, type Spelling, separator, spelling } from './names.js'
import { accessToken, malformedToken, malformedTrigger, malformedUser, triggerId, userId } from './values.js'
import { locate, type Place, pathsOf, place } from './worlds.js'

/** A credential chosen before the world is known. */
interface CredentialPlan {
  /** `useful` credentials open something; `known` ones may be expired, unverified and the like. */
  readonly kind: 'useful' | 'known' | 'unknown' | 'malformed'
  /** Which of them, counted around. */
  readonly which: number
  readonly spell: Spelling
  readonly unknown: string
  /** As the request target spells it. */
  readonly malformed: string
}

const credentialPlan = (unknown: fc.Arbitrary<string>, malformed: fc.Arbitrary<string>): fc.Arbitrary<CredentialPlan> =>
  fc.record({
    kind: fc.oneof(
      { weight: 30, arbitrary: fc.constant('useful' as const) },
      { weight: 4, arbitrary: fc.constant('known' as const) },
      { weight: 1, arbitrary: fc.constantFrom('unknown' as const, 'malformed' as const) },
    ),
    which: fc.nat({ max: 11 }),
    spell: spelling,
    unknown,
    malformed,
  })

/** The chosen one, counted around; `undefined` when there is none to choose from, or none is meant. */
const chosen = <A>(
  { kind, which }: CredentialPlan,
  useful: ReadonlyArray<A>,
  known: ReadonlyArray<A>,
): A | undefined => {
  if (kind !== 'useful' && kind !== 'known') return undefined
  const all = kind === 'useful' && useful.length > 0 ? useful : known
  return all[which % all.length]
}

/** The segment of the request target. */
const spelled = ({ kind, spell, unknown, malformed }: CredentialPlan, known: string | undefined): string =>
  kind === 'malformed' ? malformed : spell(known ?? unknown)

/** What follows the credential, chosen before the world is known. */
interface PathPlan {
  /** `useful` paths lead the asker to a node; `known` ones lead to, beside or below what the world mentions. */
  readonly kind: 'useful' | 'known' | 'illegal'
  readonly place: Place
  readonly spell: Spelling
  readonly separator: string
  readonly slash: boolean
  /** As the request target spells it. */
  readonly illegal: string
}

/** `useful` ones that many times as often as illegal ones; `known` ones four times. */
const pathPlan = (useful: number): fc.Arbitrary<PathPlan> =>
  fc.record({
    kind: fc.oneof(
      { weight: useful, arbitrary: fc.constant('useful' as const) },
      { weight: 4, arbitrary: fc.constant('known' as const) },
      { weight: 1, arbitrary: fc.constant('illegal' as const) },
    ),
    place,
    spell: spelling,
    separator,
    slash: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    illegal: illegalRawPath,
  })

/** The tail of the request target. `useful` may be empty; `known` holds the root at least. */
const rawPathOf = (
  { kind, spell, ...plan }: PathPlan,
  useful: ReadonlyArray<string>,
  known: ReadonlyArray<string>,
): string => {
  if (kind === 'illegal') return plan.illegal
  const path =
    kind === 'useful' && useful.length > 0
      ? locate(useful)({ ...plan.place, suffix: '', below: [] })
      : locate(known)(plan.place)
  return rawOf(path, spell, plan.separator, plan.slash)
}

interface PeekPlan {
  readonly operation: 'triggerPeek'
  readonly credential: CredentialPlan
}

interface TreePlan {
  readonly operation: 'storageTree' | 'userContentTree'
  readonly credential: CredentialPlan
  readonly path: PathPlan
  readonly depth?: number
}

interface DirItemsPlan {
  readonly operation: 'storageDirItems' | 'userContentDirItems'
  readonly credential: CredentialPlan
  readonly path: PathPlan
  readonly limit?: number
  readonly after?: string
}

export type NodePlan = TreePlan | DirItemsPlan

/**
 * A request chosen before the world is known, so that world and request shrink each without the other. `askOf` says
 * what it asks of a world.
 */
export type AskPlan = NodePlan | PeekPlan

const always = ['operation', 'credential', 'path'] as const

const tree = (
  operation: TreePlan['operation'],
  credential: fc.Arbitrary<CredentialPlan>,
  path: fc.Arbitrary<PathPlan>,
): fc.Arbitrary<TreePlan> =>
  fc.record(
    { operation: fc.constant(operation), credential, path, depth: fc.nat({ max: 5 }) },
    { requiredKeys: [...always] },
  )

const dirItems = (
  operation: DirItemsPlan['operation'],
  credential: fc.Arbitrary<CredentialPlan>,
  path: fc.Arbitrary<PathPlan>,
): fc.Arbitrary<DirItemsPlan> =>
  fc.record(
    {
      operation: fc.constant(operation),
      credential,
      path,
      limit: fc.integer({ min: 1, max: 6 }),
      after: fc.oneof(name, fc.constantFrom('', '!', 'a')),
    },
    { requiredKeys: [...always] },
  )

const token = credentialPlan(accessToken, malformedToken)
const user = credentialPlan(userId.map(String), malformedUser)
const trigger = credentialPlan(triggerId, malformedTrigger)

const visitorOn = (path: fc.Arbitrary<PathPlan>): fc.Arbitrary<NodePlan> =>
  fc.oneof(tree('userContentTree', user, path), dirItems('userContentDirItems', user, path))

/** What a visitor asks of user content who looks for what is not shown. */
export const curiousVisitorPlan: fc.Arbitrary<NodePlan> = visitorOn(pathPlan(8))

const plainPath = pathPlan(30)

export const askPlan: fc.Arbitrary<AskPlan> = fc.oneof(
  { weight: 4, arbitrary: tree('storageTree', token, plainPath) },
  { weight: 4, arbitrary: dirItems('storageDirItems', token, plainPath) },
  { weight: 8, arbitrary: visitorOn(plainPath) },
  { weight: 1, arbitrary: fc.record({ operation: fc.constant('triggerPeek' as const), credential: trigger }) },
)

/** The root and every node that an answer can show; for a listing the directories that hold something. */
const findable = (
  area: WorldAccount['area'],
  operation: NodePlan['operation'],
): ReadonlyArray<StoragePath.StoragePath> => {
  const filesToo = operation === 'storageTree' || operation === 'userContentTree'
  const below = (parent: string, nodes: ReadonlyArray<WorldNode>): ReadonlyArray<StoragePath.StoragePath> =>
    nodes.flatMap((node) => {
      const path = `${parent}/${node.name}` as StoragePath.StoragePath
      if (node.type !== 'dir') return node.type === 'file' && filesToo ? [path] : []
      return [...(filesToo || node.content.length > 0 ? [path] : []), ...below(path, node.content)]
    })
  return [StoragePath.root, ...below('', area === 'missing' ? [] : area)]
}

const mentioned = ({ area, settings, tokens }: WorldAccount): ReadonlyArray<string> => [
  ...pathsOf(area),
  ...settings.map(({ path }) => path),
  ...tokens.map(({ scope }) => scope),
]

/** Someone in whose place to ask, and the paths at which they are shown something. */
interface Asker {
  readonly account: WorldAccount
  readonly credential: string
  readonly useful: ReadonlyArray<StoragePath.StoragePath>
}

const visitorTo =
  (operation: NodePlan['operation']) =>
  (account: WorldAccount): Asker => {
    const settings = settingsMap(account)
    const reached = findable(account.area, operation).filter((path) => View.visitorReaches(settings, path))
    return { account, credential: account.id, useful: account.verified ? reached : [] }
  }

const ownersOf =
  (operation: NodePlan['operation']) =>
  (account: WorldAccount): ReadonlyArray<Asker> =>
    account.tokens.map(({ token, scope, state }) => ({
      account,
      credential: token,
      useful:
        account.verified && state === 'valid'
          ? findable(account.area, operation).filter(StoragePath.contains(scope as StoragePath.StoragePath))
          : [],
    }))

const noAccount: WorldAccount = { id: '0', verified: false, tokens: [], settings: [], area: 'missing' }

interface Askers {
  readonly all: ReadonlyArray<Asker>
  readonly served: ReadonlyArray<Asker>
}

const askersOf = ({ accounts }: World, operation: NodePlan['operation']): Askers => {
  const isOwner = operation === 'storageTree' || operation === 'storageDirItems'
  const all = isOwner ? accounts.flatMap(ownersOf(operation)) : accounts.map(visitorTo(operation))
  return { all, served: all.filter(({ useful }) => useful.length > 0) }
}

const asking = ({ accounts }: World, plan: NodePlan, { all, served }: Askers) => {
  const asker = chosen(plan.credential, served, all)
  const account = asker?.account ?? accounts[0] ?? noAccount
  return {
    credential: spelled(plan.credential, asker?.credential),
    path: rawPathOf(plan.path, asker?.useful ?? [], mentioned(account)),
  }
}

/** What a plan asks of a world. */
export const askOf = (world: World): ((plan: AskPlan) => Ask) => {
  const askers = {
    storageTree: askersOf(world, 'storageTree'),
    storageDirItems: askersOf(world, 'storageDirItems'),
    userContentTree: askersOf(world, 'userContentTree'),
    userContentDirItems: askersOf(world, 'userContentDirItems'),
  }
  const valid = world.triggers.filter(({ state }) => state === 'valid')
  return (plan) =>
    plan.operation === 'triggerPeek'
      ? { ...plan, credential: spelled(plan.credential, chosen(plan.credential, valid, world.triggers)?.id) }
      : { ...plan, ...asking(world, plan, askers[plan.operation]) }
}

/** A request to a world: of any operation, for what it holds and for what it does not. */
export const worldRequest = (world: World): fc.Arbitrary<Ask> => askPlan.map(askOf(world))

// One fast-check arbitrary for each type of the domain, whole worlds, and requests to a world.

export { name, rawPath, storagePath } from './names.js'
export {
  accessToken,
  directoryItem,
  failure,
  nodeVisibility,
  settings,
  treeNode,
  triggerId,
  triggerValue,
  u64,
  userId,
  visibility,
} from './values.js'
export { world, worldAccount, worldNode } from './worlds.js'
