import { type StoragePath, View } from '@canopy/domain'
import { arbitraries, type World, type WorldAccount, type WorldNode } from '@canopy/testkit'
import * as fc from 'fast-check'

/** What no visitor may see of one account: told from its settings, never from what it holds. */
interface Concealed {
  /** Whatever is there, or is not there, no visitor may learn of it. */
  readonly isPath: (path: string) => boolean
  /** Neither the node nor any below it. What is neither file nor directory does not exist for anybody. */
  readonly isNode: (path: string, node: WorldNode) => boolean
  /** The whole area, whether it is there or not. */
  readonly isArea: boolean
}

const concealedIn = (account: WorldAccount): Concealed => {
  const settings = new Map(
    account.settings.map(({ path, visibility }) => [path as StoragePath.StoragePath, visibility]),
  )
  const isPath = (path: string): boolean =>
    !account.verified || !View.visitorReaches(settings, path as StoragePath.StoragePath)
  const isNode = (path: string, node: WorldNode): boolean => {
    if (node.type !== 'file' && node.type !== 'dir') return true
    const below = node.type === 'dir' ? node.content : []
    return isPath(path) && below.every((child) => isNode(`${path}/${child.name}`, child))
  }
  const isArea = !account.verified || account.settings.every(({ visibility }) => visibility === 'private')
  return { isPath, isNode, isArea }
}

/** What becomes of an invisible node. */
type Fate = 'removed' | 'kept' | 'retouched' | 'renamed' | 'swapped'

/** How an area's twin differs from it, chosen before the area is known. */
interface TwinPlan {
  /** Handed out to the invisible nodes, over and over; `kept` where there are none. */
  readonly fates: ReadonlyArray<Fate>
  /** Invisible nodes that are new in the twin: whole subtrees, each at one of the places where it may stand. */
  readonly added: ReadonlyArray<Added>
  /** Where nothing at all is visible: whether the twin has no root where the area has one, and the other way round. */
  readonly rootless: boolean
}

interface Added {
  readonly place: number
  readonly node: WorldNode
}

const fate: fc.Arbitrary<Fate> = fc.constantFrom('removed', 'kept', 'retouched', 'renamed', 'swapped')

export const twinPlan: fc.Arbitrary<TwinPlan> = fc.record({
  fates: fc.array(fate, { maxLength: 5 }),
  added: fc.array(fc.record({ place: fc.nat({ max: 40 }), node: arbitraries.worldNode() }), { maxLength: 3 }),
  rootless: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})

type Nodes = ReadonlyArray<WorldNode>

const retouched = (node: WorldNode): WorldNode => {
  switch (node.type) {
    case 'file':
      return { ...node, size: node.size ^ 1n, last_modified: node.last_modified ^ 1n }
    case 'dir':
      return { ...node, last_modified: node.last_modified ^ 1n }
    case 'link':
    case 'fifo':
    case 'undecodable':
    case 'dead':
      return { type: node.type === 'fifo' ? 'undecodable' : 'fifo', name: node.name }
  }
}

const swapped = ({ type, name }: WorldNode): WorldNode =>
  type === 'file'
    ? { type: 'dir', name, last_modified: 1n, content: [] }
    : { type: 'file', name, size: 1n, last_modified: 1n }

/** The node after its fate; `undefined` when it is gone. */
const met = (fate: Fate, node: WorldNode): WorldNode | undefined => {
  switch (fate) {
    case 'removed':
      return undefined
    case 'kept':
      return node
    case 'retouched':
      return retouched(node)
    case 'renamed':
      return { ...node, name: `${node.name.slice(0, 60)}~` }
    case 'swapped':
      return swapped(node)
  }
}

/** What is visible stays, and so do the directories on the way to it; of those in turn only the invisible time changes. */
const altered = (concealed: Concealed, fates: ReadonlyArray<Fate>, nodes: Nodes, parent: string): Nodes =>
  nodes.flatMap((node, index): Nodes => {
    const path = `${parent}/${node.name}`
    const fate = fates[(index + parent.length) % fates.length] ?? 'kept'
    if (!concealed.isNode(path, node)) {
      if (node.type !== 'dir') return [node]
      const isRetouched = concealed.isPath(path) && fate === 'retouched'
      const last_modified = isRetouched ? node.last_modified ^ 1n : node.last_modified
      return [{ ...node, last_modified, content: altered(concealed, fates, node.content, path) }]
    }
    const after = met(fate, node)
    if (after === undefined) return []
    const isFree = after.name === node.name || nodes.every(({ name }) => name !== after.name)
    return isFree && concealed.isNode(`${parent}/${after.name}`, after) ? [after] : [node]
  })

/** As much of a node as is invisible where it is to stand. */
const pruned = (concealed: Concealed, node: WorldNode, path: string): Nodes => {
  if (node.type === 'dir' && concealed.isPath(path))
    return [{ ...node, content: node.content.flatMap((child) => pruned(concealed, child, `${path}/${child.name}`)) }]
  return concealed.isNode(path, node) ? [node] : []
}

const inserted = (nodes: Nodes, parent: string, at: string, added: Nodes): Nodes =>
  parent === at
    ? [...nodes, ...added]
    : nodes.map((node) => {
        const path = `${parent}/${node.name}`
        return node.type === 'dir' && (at === path || at.startsWith(`${path}/`))
          ? { ...node, content: inserted(node.content, path, at, added) }
          : node
      })

interface Place {
  readonly directory: string
  readonly name: string
}

/** Where a new node may stand: by its own name in any directory, or where the settings make a name private. */
const placesFor = (account: WorldAccount, nodes: Nodes, { name: ownName }: WorldNode): ReadonlyArray<Place> => {
  const privateNames = account.settings.filter(({ visibility }) => visibility === 'private').map(({ path }) => path)
  const below = (directory: string, content: Nodes): ReadonlyArray<Place> => {
    const settled = privateNames
      .filter((path) => path !== '/' && path.slice(0, path.lastIndexOf('/')) === directory)
      .map((path) => path.slice(directory.length + 1))
    return [
      ...[ownName, ...settled]
        .filter((name) => content.every((node) => node.name !== name))
        .map((name) => ({ directory, name })),
      ...content.flatMap((node) => (node.type === 'dir' ? below(`${directory}/${node.name}`, node.content) : [])),
    ]
  }
  return below('', nodes)
}

const withAdded =
  (account: WorldAccount, concealed: Concealed) =>
  (nodes: Nodes, { place, node }: Added): Nodes => {
    const places = placesFor(account, nodes, node)
      .map(({ directory, name }) => ({
        directory,
        fitting: pruned(concealed, { ...node, name }, `${directory}/${name}`),
      }))
      .filter(({ fitting }) => fitting.length > 0)
    const chosen = places[place % places.length]
    return chosen === undefined ? nodes : inserted(nodes, '', chosen.directory, chosen.fitting)
  }

/** The same account with another area, that differs only in nodes which no visitor may see. */
export const twinOf =
  ({ fates, added, rootless }: TwinPlan) =>
  (account: WorldAccount): WorldAccount => {
    const concealed = concealedIn(account)
    const { area } = account
    if (concealed.isArea && rootless) return { ...account, area: area === 'missing' ? [] : 'missing' }
    return area === 'missing'
      ? account
      : { ...account, area: added.reduce(withAdded(account, concealed), altered(concealed, fates, area, '')) }
  }

export type WorldPair = readonly [World, World]

/** Visitors meet accounts alone, and one at a time: a second one is there for answers to be mixed up with. */
const accounts = fc.uniqueArray(arbitraries.worldAccount(), { minLength: 1, maxLength: 2, selector: ({ id }) => id })

/** Two worlds of equal accounts, tokens and settings, which differ only in nodes that no visitor may see. */
export const worldPair: fc.Arbitrary<WorldPair> = fc
  .record({ ones: accounts, plans: fc.array(twinPlan, { minLength: 1, maxLength: 2 }) })
  .map(({ ones, plans }) => {
    const others = ones.map((account, index) => {
      const plan = plans[index % plans.length]
      return plan === undefined ? account : twinOf(plan)(account)
    })
    return [
      { accounts: ones, triggers: [] },
      { accounts: others, triggers: [] },
    ]
  })
