import { StoragePath, visitorMayRequest } from '@canopy/domain'
import * as fc from 'fast-check'
import type { Ask } from '../scenarios/Scenario.js'
import { settingsOf, type World, type WorldAccount, type WorldNode } from '../World.js'
import { illegalRawPath, name, rawOf, separator, spelling } from './names.js'
import { namePattern } from './rules.js'
import { accessToken, malformedToken, malformedTrigger, malformedUser, triggerId, userId } from './values.js'
import { locate, pathsOf, place, weighted } from './worlds.js'

const maybe = <A>(some: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> => fc.option(some, { nil: undefined })

const anyAfter: fc.Arbitrary<string> = fc.oneof(name, fc.constantFrom('', '!', 'a'))

const sometimes = <A>(some: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.option(some, { nil: undefined, freq: 2 })

const linesPlan = fc.record({ after: sometimes(place), name: sometimes<string>(namePattern) })

/** `useful` weighs paths that lead the client to a node. */
const plan = (
  operation: Ask['operation'],
  unknown: fc.Arbitrary<string>,
  malformed: fc.Arbitrary<string>,
  useful: number,
) =>
  fc.record({
    operation: fc.constant(operation),
    // `useful` credentials open an area or a trigger; `known` ones may be expired or unverified.
    credential: weighted([60, 'useful'], [8, 'known'], [1, 'unknown'], [1, 'malformed']),
    // The index of the credential, modulo their number.
    which: fc.nat({ max: 11 }),
    spell: spelling,
    unknown,
    // As the request target spells it.
    malformed,
    // `useful` paths lead the client to a node; `known` ones lead to, beside or below paths of the world.
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
    lines: sometimes(linesPlan),
  })

/**
 * A request that is chosen before the world, so that both shrink independently. `askOf` turns it into a request to a world, and
 * drops the parameters of other operations.
 */
export type AskPlan = ReturnType<typeof plan> extends fc.Arbitrary<infer Value> ? Value : never

const byToken = (operation: Ask['operation']) => plan(operation, accessToken, malformedToken, 30)
const byUser = (operation: Ask['operation'], useful = 30) => plan(operation, userId.map(String), malformedUser, useful)

/** A visitor who searches for invisible nodes. */
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

/** Chooses an element; `undefined` for an unknown or malformed credential, and in an empty world. */
const choose = <A>(
  { credential, which }: AskPlan,
  useful: ReadonlyArray<A>,
  known: ReadonlyArray<A>,
): A | undefined => {
  if (credential === 'unknown' || credential === 'malformed') return undefined
  const all = credential === 'useful' && useful.length > 0 ? useful : known
  return all[which % all.length]
}

/** Returns the credential as a segment of the request target. */
const spellCredential = ({ credential, spell, unknown, malformed }: AskPlan, known: string | undefined): string =>
  credential === 'malformed' ? malformed : spell(known ?? unknown)

/** Returns the requested path. `useful` may be empty; `known` contains at least the root. */
const pathOf = ({ path, place }: AskPlan, useful: ReadonlyArray<string>, known: ReadonlyArray<string>) =>
  path === 'useful' && useful.length > 0 ? locate(useful)({ ...place, suffix: '', below: [] }) : locate(known)(place)

/** Returns the parameters of a tree. Most lines start below the requested path, if there is something below it. */
const treeParameters = ({ depth, lines }: AskPlan, path: StoragePath.StoragePath, known: ReadonlyArray<string>) => {
  const below = known.filter((each) => StoragePath.contains(path)(each as StoragePath.StoragePath))
  const after = lines?.after && locate(below.length === 0 ? known : below)(lines.after)
  return { depth, lines: lines && { after, name: lines.name } }
}

const isTree = (operation: Ask['operation']): boolean => operation === 'storageTree' || operation === 'userContentTree'

/** Returns the root and every node that an answer can show; for a listing, only directories that are not empty. */
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

/** A possible client, and the paths of the nodes that it can see. */
interface Client {
  readonly account: WorldAccount
  readonly credential: string
  readonly useful: ReadonlyArray<StoragePath.StoragePath>
}

const visitorTo = (account: WorldAccount, operation: Ask['operation']): Client => {
  const settings = settingsOf(account)
  const reached = findable(account.area, operation).filter((path) => visitorMayRequest(settings, path))
  return { account, credential: account.id, useful: account.verified ? reached : [] }
}

const ownersOf = (account: WorldAccount, operation: Ask['operation']): ReadonlyArray<Client> =>
  account.tokens.map(({ token, scope, state }) => ({
    account,
    credential: token,
    useful:
      account.verified && state === 'valid'
        ? findable(account.area, operation).filter(StoragePath.contains(scope as StoragePath.StoragePath))
        : [],
  }))

const noAccount: WorldAccount = { id: '0', verified: false, tokens: [], settings: [], area: 'missing' }

/** Turns plans of one operation into requests to a world. */
const askOfOperation = ({ accounts, triggers }: World, operation: Ask['operation']): ((plan: AskPlan) => Ask) => {
  if (operation === 'triggerPeek') {
    const valid = triggers.filter(({ state }) => state === 'valid')
    return (plan) => ({ operation, credential: spellCredential(plan, choose(plan, valid, triggers)?.id) })
  }
  const isOwner = operation === 'storageTree' || operation === 'storageDirItems'
  const all = accounts.flatMap((each) => (isOwner ? ownersOf(each, operation) : [visitorTo(each, operation)]))
  const served = all.filter(({ useful }) => useful.length > 0)
  return (plan) => {
    const client = choose(plan, served, all)
    const account = client?.account ?? accounts[0] ?? noAccount
    const { limit, after, spellPath, separator, slash } = plan
    const known = mentioned(account)
    const path = pathOf(plan, client?.useful ?? [], known)
    return {
      operation,
      credential: spellCredential(plan, client?.credential),
      path: plan.path === 'illegal' ? plan.illegal : rawOf(path, spellPath, separator, slash),
      ...(isTree(operation) ? treeParameters(plan, path, known) : { limit, after }),
    } as Ask
  }
}

/** Turns plans into requests to a world. */
export const askOf = (world: World): ((plan: AskPlan) => Ask) => {
  const asks = {
    storageTree: askOfOperation(world, 'storageTree'),
    storageDirItems: askOfOperation(world, 'storageDirItems'),
    userContentTree: askOfOperation(world, 'userContentTree'),
    userContentDirItems: askOfOperation(world, 'userContentDirItems'),
    triggerPeek: askOfOperation(world, 'triggerPeek'),
  }
  return (plan) => asks[plan.operation](plan)
}

/** Requests of all operations, for existing and for missing nodes. */
export const worldRequest = (world: World): fc.Arbitrary<Ask> => askPlan.map(askOf(world))

// Arbitraries for each type of the domain, for worlds, and for requests to a world.

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
