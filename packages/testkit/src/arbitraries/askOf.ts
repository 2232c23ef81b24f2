import { StoragePath, View } from '@canopy/domain'
import type { Ask } from '../Ask.js'
import { settingsMap } from '../settingsMap.js'
import type { World, WorldAccount, WorldNode } from '../World.js'
import type { AskPlan, DirItemsPlan, TreePlan } from './askPlan.js'
import { chosen, spelled } from './credentialPlan.js'
import { rawPathOf } from './pathPlan.js'
import { pathsOf } from './place.js'

type NodePlan = TreePlan | DirItemsPlan

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

const nobody: WorldAccount = { id: '0', verified: false, tokens: [], settings: [], area: 'missing' }

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
  const account = asker?.account ?? accounts[0] ?? nobody
  return {
    credential: spelled(plan.credential, asker?.credential),
    path: rawPathOf(plan.path, asker?.useful ?? [], mentioned(account)),
  }
}

/** What a plan asks of a world. */
export const askOf = (world: World): ((plan: AskPlan) => Ask) => {
  const known = new Map<string, Askers>()
  const askersFor = (operation: NodePlan['operation']): Askers => {
    const askers = known.get(operation) ?? askersOf(world, operation)
    known.set(operation, askers)
    return askers
  }
  return (plan) => {
    switch (plan.operation) {
      case 'storageTree':
      case 'storageDirItems':
        return { ...plan, ...asking(world, plan, askersFor(plan.operation)) }
      case 'userContentTree':
      case 'userContentDirItems':
        return { ...plan, ...asking(world, plan, askersFor(plan.operation)) }
      case 'triggerPeek': {
        const { triggers } = world
        const valid = triggers.filter(({ state }) => state === 'valid')
        return { ...plan, credential: spelled(plan.credential, chosen(plan.credential, valid, triggers)?.id) }
      }
    }
  }
}
