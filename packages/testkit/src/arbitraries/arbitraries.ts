import { StoragePath, View } from '@canopy/domain'
import * as fc from 'fast-check'
import type { Ask } from '../scenarios/Scenario.js'
import { settingsMap, type World, type WorldAccount, type WorldNode } from '../World.js'
import { illegalRawPath, name, rawOf, separator, spelling } from './names.js'
import { accessToken, malformedToken, malformedTrigger, malformedUser, triggerId, userId } from './values.js'
import { locate, pathsOf, place, weighted } from './worlds.js'

/** A credential chosen before the world is known. */
const credentialPlan = (unknown: fc.Arbitrary<string>, malformed: fc.Arbitrary<string>) =>
  fc.record({
    // `useful` credentials open something; `known` ones may be expired, unverified and the like.
    kind: weighted([60, 'useful'], [8, 'known'], [1, 'unknown'], [1, 'malformed']),
    // Which of them, counted around.
    which: fc.nat({ max: 11 }),
    spell: spelling,
    unknown,
    // As the request target spells it.
    malformed,
  })

/** What follows the credential, chosen before the world is known. */
const pathPlan = (useful: number) =>
  fc.record({
    // `useful` paths lead the asker to a node; `known` ones lead to, beside or below what the world mentions.
    kind: weighted([useful, 'useful'], [4, 'known'], [1, 'illegal']),
    place,
    spell: spelling,
    separator,
    slash: weighted([3, false], [1, true]),
    // As the request target spells it.
    illegal: illegalRawPath,
  })

const after: fc.Arbitrary<string> = fc.oneof(name, fc.constantFrom('', '!', 'a'))

const plan = (
  operation: Ask['operation'],
  credential: ReturnType<typeof credentialPlan>,
  path: ReturnType<typeof pathPlan>,
) =>
  fc.record(
    {
      operation: fc.constant(operation),
      credential,
      path,
      depth: fc.nat({ max: 5 }),
      limit: fc.integer({ min: 1, max: 6 }),
      after,
    },
    { requiredKeys: ['operation', 'credential', 'path'] },
  )

type ValueOf<A> = A extends fc.Arbitrary<infer Value> ? Value : never
type CredentialPlan = ValueOf<ReturnType<typeof credentialPlan>>
type PathPlan = ValueOf<ReturnType<typeof pathPlan>>

/**
 * A request chosen before the world is known, so that world and request shrink each without the other. `askOf` says
 * what it asks of a world; of the parameters it takes those of the operation.
 */
export type AskPlan = ValueOf<ReturnType<typeof plan>>

const token = credentialPlan(accessToken, malformedToken)
const user = credentialPlan(userId.map(String), malformedUser)
const trigger = credentialPlan(triggerId, malformedTrigger)

/** What a visitor asks of user content who looks for what is not shown. */
export const curiousVisitorPlan: fc.Arbitrary<AskPlan> = fc.oneof(
  plan('userContentTree', user, pathPlan(8)),
  plan('userContentDirItems', user, pathPlan(8)),
)

const plainPath = pathPlan(30)

export const askPlan: fc.Arbitrary<AskPlan> = fc.oneof(
  { weight: 4, arbitrary: plan('storageTree', token, plainPath) },
  { weight: 4, arbitrary: plan('storageDirItems', token, plainPath) },
  { weight: 4, arbitrary: plan('userContentTree', user, plainPath) },
  { weight: 4, arbitrary: plan('userContentDirItems', user, plainPath) },
  { weight: 1, arbitrary: plan('triggerPeek', trigger, plainPath) },
)

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

/** The tail of the request target. `useful` may be empty; `known` holds the root at least. */
const rawPathOf = (
  { kind, spell, place, separator, slash, illegal }: PathPlan,
  useful: ReadonlyArray<string>,
  known: ReadonlyArray<string>,
): string => {
  if (kind === 'illegal') return illegal
  const isUseful = kind === 'useful' && useful.length > 0
  const path = isUseful ? locate(useful)({ ...place, suffix: '', below: [] }) : locate(known)(place)
  return rawOf(path, spell, separator, slash)
}

/** The root and every node that an answer can show; for a listing the directories that hold something. */
const findable = (area: WorldAccount['area'], operation: Ask['operation']): ReadonlyArray<StoragePath.StoragePath> => {
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
  (operation: Ask['operation']) =>
  (account: WorldAccount): Asker => {
    const settings = settingsMap(account)
    const reached = findable(account.area, operation).filter((path) => View.visitorReaches(settings, path))
    return { account, credential: account.id, useful: account.verified ? reached : [] }
  }

const ownersOf =
  (operation: Ask['operation']) =>
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

/** What plans of one operation ask of a world: the credential and, but for a trigger, the path. */
const askingOf = ({ accounts, triggers }: World, operation: Ask['operation']) => {
  if (operation === 'triggerPeek') {
    const valid = triggers.filter(({ state }) => state === 'valid')
    return ({ credential }: AskPlan) => ({
      credential: spelled(credential, chosen(credential, valid, triggers)?.id),
      path: '',
    })
  }
  const isOwner = operation === 'storageTree' || operation === 'storageDirItems'
  const all = isOwner ? accounts.flatMap(ownersOf(operation)) : accounts.map(visitorTo(operation))
  const served = all.filter(({ useful }) => useful.length > 0)
  return ({ credential, path }: AskPlan) => {
    const asker = chosen(credential, served, all)
    const account = asker?.account ?? accounts[0] ?? noAccount
    return {
      credential: spelled(credential, asker?.credential),
      path: rawPathOf(path, asker?.useful ?? [], mentioned(account)),
    }
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
  return (plan) => {
    const { operation, depth, limit, after } = plan
    const { credential, path } = asking[operation](plan)
    switch (operation) {
      case 'storageTree':
      case 'userContentTree':
        return { operation, credential, path, ...(depth === undefined ? {} : { depth }) }
      case 'storageDirItems':
      case 'userContentDirItems':
        return {
          operation,
          credential,
          path,
          ...(limit === undefined ? {} : { limit }),
          ...(after === undefined ? {} : { after }),
        }
      case 'triggerPeek':
        return { operation, credential }
    }
  }
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
