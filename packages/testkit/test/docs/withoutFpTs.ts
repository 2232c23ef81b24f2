import type { Entry } from '@canopy/domain'
import { Area, Envelope, Failure, Items, Name, operations, Settings, StoragePath, Tree, U64 } from '@canopy/domain'

const ok = <A>(right: A) => ({ _tag: 'Right', right }) as const
const no = <E>(left: E) => ({ _tag: 'Left', left }) as const

type Path = StoragePath.StoragePath
const last_modified = U64.zero
const nodes = new Map<string, Entry.Node>([
  ['/', { type: 'dir', last_modified }],
  ['/a', { type: 'dir', last_modified }],
  ['/a/sea.jpg', { type: 'file', size: U64.clamp(9n), last_modified }],
])
const area: Area.Area = { owner: 7n as Area.Area['owner'], location: Area.location('mine') }
const settings = Settings.fromRecord({ '/a': 'public' })
const token = `cnp_${'a'.repeat(42)}A`

const nodeAt = async (path: Path) => {
  const node = nodes.get(path)
  if (node !== undefined) return ok(node)
  const above = StoragePath.upwards(path).map((at) => nodes.get(at)?.type)
  return no(above.includes('file') ? Failure.typeMismatch : Failure.fileNotFound)
}
const list = async (path: Path) => {
  const node = await nodeAt(path)
  if (node._tag === 'Left') return node
  if (node.right.type === 'file') return no(Failure.typeMismatch)
  const below = path === '/' ? path : `${path}/`
  const entries = [...nodes]
    .map(([at, each]) => ({ ...each, name: at.replace(below, '') }) as Entry.Entry)
    .filter(({ name }) => Name.is(name) && nodes.has(below + name))
    .sort((x, y) => Name.byBytes.compare(x.name, y.name))
  return ok({ entries, unlistable: 0 })
}
const ports = {
  areaOfToken: (asked: string) => async () =>
    asked === token ? ok({ area, scope: StoragePath.root }) : no(Failure.invalidToken),
  areaOfUser: (user: bigint) => async () => (user === area.owner ? ok(area) : no(Failure.permissionDenied)),
  settingsOf: () => async () => ok(settings),
  nodeAt: (_: Area.Area, path: Path) => () => nodeAt(path),
  list: (_: Area.Area, path: Path) => () => list(path),
  triggerOf: (id: string) => async () =>
    id === 'bell' ? ok({ type: 'mail', json: '{"type":"mail"}' }) : no(Failure.triggerNotFound),
}

type Ask<A> = () => Promise<{ _tag: 'Left'; left: Failure.Failure } | { _tag: 'Right'; right: A }>
const json = async <A>(ask: Ask<A>, body: (a: A) => string | Promise<string>): Promise<string> => {
  const answer = await ask()
  return answer._tag === 'Left' ? Envelope.errorJson(answer.left.error) : body(answer.right)
}
const tree = (found: Tree.Tree) => json(Tree.collect(found), Envelope.treeJson)
const items = (found: Items.Items) => json(Items.collect(found), (all) => Envelope.dirContentJson(all.items))

export const ask = {
  tree: (path: string) => json(operations.storageTree({ token, path }, Tree.unbounded)(ports), tree),
  tree7: (path: string) => json(operations.userContentTree({ user: '7', path }, Tree.unbounded)(ports), tree),
  items: (path: string) => json(operations.storageDirItems({ token, path }, Items.unbounded)(ports), items),
  items7: (path: string) => json(operations.userContentDirItems({ user: '7', path }, Items.unbounded)(ports), items),
  peek: (id: string) => json(operations.triggerPeek({ id })(ports), Envelope.triggerPeakJson),
}
