import { StoragePath, visitorMaySee } from '@canopy/domain'
import * as fc from 'fast-check'
import type { Ask } from '../scenarios/Scenario.js'
import { settingsOf, type World, type WorldAccount, type WorldNode } from '../World.js'
import { illegalRawPath, name, rawOf, separator, spelling } from './names.js'
import { accessToken, malformedToken, malformedTrigger, malformedUser, triggerId, userId } from './values.js'
import { locate, pathsOf, place, weighted } from './worlds.js'

const maybe = <A>(some: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> => fc.option(some, { nil: undefined })

const anyAfter: fc.Arbitrary<string> = fc.oneof(name, fc.constantFrom('', '!', 'a'))

/** A request chosen before the world is known: `useful` is how often, of some, its path leads the asker to a node. */
const plan = (
  operation: Ask['operation'],
  unknown: fc.Arbitrary<string>,
  malformed: fc.Arbitrary<string>,
  useful: number,
) =>
  fc.record({
    operation: fc.constant(operation),
    // `useful` credentials open something; `known` ones may be expired, unverified and the like.
    credential: weighted([60, 'useful'], [8, 'known'], [1, 'unknown'], [1, 'malformed']),
    // Which of them, counted around.
    which: fc.nat({ max: 11 }),
    spell: spelling,
    unknown,
    // As the request target spells it.
    malformed,
    // `useful` paths lead the asker to a node; `known` ones lead to, beside or below what the world mentions.
    path: weighted([useful, 'useful'], [4, 'known'], [1, 'illegal']),
    place,
    spellPath: spelling,
    separator,
    slash: weighted([3, false], [1, true]),
    // As the request target spells it.
    illegal: illegalRawPath,
    depth: maybe(fc.nat({ max: 5 })),
    limit: maybe(fc.integer({ min: 1, max: 6 })),
    after: maybe(anyAfter),
  })

/**
 * A request chosen before the world is known, so that world and request shrink each without the other. `askOf` says
 * what it asks of a world; of the parameters it takes those of the operation.
 */
export type AskPlan = ReturnType<typeof plan> extends fc.Arbitrary<infer Value> ? Value : never

const byToken = (operation: Ask['operation']) => plan(operation, accessToken, malformedToken, 30)
const byUser = (operation: Ask['operation'], useful = 30) => plan(operation, userId.map(String), malformedUser, useful)

/** What a visitor asks of user content who looks for what is not shown. */
export const curiousVisitorPlan: fc.Arbitrary<AskPlan> = fc.oneof(
  byUser('userContentTree', 8),
  byUser('userContentDirItems', 8),
)

export const askPlan: fc.Arbitrary<AskPlan> = fc.oneof(
  { weight: 4, arbitrary: byToken('storageTree') },
  { weight: 4, arbitrary: byToken('storageDirItems') },
  { weight: 4, arbitrary: byUser('userContentTree') },
  { weight: 4, arbitrary: byUser('userContentDirItems') },
  { weight: 1, arbitrary: plan('triggerPeek', triggerId, malformedTrigger, 30) },
)

/** The chosen one, counted around; `undefined` when there is none to choose from, or none is meant. */
const chosen = <A>(
  { credential, which }: AskPlan,
  useful: ReadonlyArray<A>,
  known: ReadonlyArray<A>,
): A | undefined => {
  if (credential === 'unknown' || credential === 'malformed') return undefined
  const all = credential === 'useful' && useful.length > 0 ? useful : known
  return all[which % all.length]
}

/** The segment of the request target. */
const spelled = ({ credential, spell, unknown, malformed }: AskPlan, known: string | undefined): string =>
  credential === 'malformed' ? malformed : spell(known ?? unknown)

/** The tail of the request target. `useful` may be empty; `known` holds the root at least. */
const rawPathOf = (
  { path, spellPath, place, separator, slash, illegal }: AskPlan,
  useful: ReadonlyArray<string>,
  known: ReadonlyArray<string>,
): string => {
  if (path === 'illegal') return illegal
  const isUseful = path === 'useful' && useful.length > 0
  const located = isUseful ? locate(useful)({ ...place, suffix: '', below: [] }) : locate(known)(place)
  return rawOf(located, spellPath, separator, slash)
}

const isTree = (operation: Ask['operation']): boolean => operation === 'storageTree' || operation === 'userContentTree'

/** The root and every node that an answer can show; for a listing the directories that hold something. */
const findable = (area: WorldAccount['area'], operation: Ask['operation']): ReadonlyArray<StoragePath.StoragePath> => {
  const filesToo = isTree(operation)
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

const visitorTo = (account: WorldAccount, operation: Ask['operation']): Asker => {
  const settings = settingsOf(account)
  const reached = findable(account.area, operation).filter((path) => visitorMaySee(settings, path))
  return { account, credential: account.id, useful: account.verified ? reached : [] }
}

const ownersOf = (account: WorldAccount, operation: Ask['operation']): ReadonlyArray<Asker> =>
  account.tokens.map(({ token, scope, state }) => ({
    account,
    credential: token,
    useful:
      account.verified && state === 'valid'
        ? findable(account.area, operation).filter(StoragePath.contains(scope as StoragePath.StoragePath))
        : [],
  }))

const noAccount: WorldAccount = { id: '0', verified: false, tokens: [], settings: [], area: 'missing' }

/** What plans of one operation ask of a world. */
const askingOf = ({ accounts, triggers }: World, operation: Ask['operation']): ((plan: AskPlan) => Ask) => {
  if (operation === 'triggerPeek') {
    const valid = triggers.filter(({ state }) => state === 'valid')
    return (plan) => ({ operation, credential: spelled(plan, chosen(plan, valid, triggers)?.id) })
  }
  const isOwner = operation === 'storageTree' || operation === 'storageDirItems'
  const all = accounts.flatMap((each) => (isOwner ? ownersOf(each, operation) : [visitorTo(each, operation)]))
  const served = all.filter(({ useful }) => useful.length > 0)
  return (plan) => {
    const asker = chosen(plan, served, all)
    const account = asker?.account ?? accounts[0] ?? noAccount
    const { depth, limit, after } = plan
    return {
      operation,
      credential: spelled(plan, asker?.credential),
      path: rawPathOf(plan, asker?.useful ?? [], mentioned(account)),
      ...(isTree(operation) ? { depth } : { limit, after }),
    } as Ask
  }
}

/** What plans ask of a world. */
export const askOf = (world: World): ((plan: AskPlan) => Ask) => {
  const asking = {
    storageTree: askingOf(world, 'storageTree'),
    storageDirItems: askingOf(world, 'storageDirItems'),
    userContentTree: askingOf(world, 'userContentTree'),
    userContentDirItems: askingOf(world, 'userContentDirItems'),
    triggerPeek: askingOf(world, 'triggerPeek'),
  }
  return (plan) => asking[plan.operation](plan)
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
export { world, worldAccount } from './worlds.js'
