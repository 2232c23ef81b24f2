import type { Answer, Ask, DirItemsAsk, TreeAsk } from './scenarios/Scenario.js'
import type { World, WorldAccount, WorldDirectory, WorldNode } from './World.js'

// A second implementation of the semantics, naive and slow. It shares no code with the domain, so the two can disagree. Read
// it beside docs/semantics.md.

/** Like `JSON.stringify`, but writes bigints as numbers. */
export const jsonText = (value: unknown): string => {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, field]) => `${JSON.stringify(name)}:${jsonText(field)}`)
    .join(',')}}`
}

type Names = ReadonlyArray<string>
type FindableNode = Extract<WorldNode, { readonly type: 'file' | 'dir' }>
interface EffectiveVisibility {
  readonly inherited: boolean
  readonly visibility: 'public' | 'hidden' | 'private'
}

const fail = (error: Extract<Answer, { readonly error: string }>['error']): Answer => ({ error })
const answer = (value: unknown): Answer => ({ body: jsonText(value) })

const decoded = (raw: string): string | undefined => {
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}

// Paths

const bytes = (text: string): number => Buffer.byteLength(text)
const isName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name) && bytes(name) <= 255
const isPath = (names: Names): boolean => names.length <= 255 && bytes(names.join('/')) <= 4096

const namesOf = (rawPath: string): Names | undefined => {
  if (rawPath === '' || rawPath === '/') return []
  const names = rawPath
    .replace(/^\//, '')
    .replace(/(\/|%2f)$/i, '')
    .split(/\/|%2f/i)
    .map(decoded)
  const named = names.filter((name): name is string => name !== undefined && isName(name))
  return named.length === names.length && isPath(named) ? named : undefined
}

// Visibility

const isSameLetter = (x: string, y: string): boolean =>
  x === y || (/^[A-Za-z]{2}$/.test(x + y) && x.toLowerCase() === y.toLowerCase())

/** Reports whether a pattern, split into tokens, matches a name, split into code points. */
const matches = (tokens: Names, name: Names): boolean => {
  const [token, ...otherTokens] = tokens
  const [first, ...rest] = name
  if (token === undefined) return name.length === 0
  if (token === '*') return matches(otherTokens, name) || (first !== undefined && matches(tokens, rest))
  if (first === undefined) return false
  const literal = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token
  return (token === '?' || isSameLetter(literal, first)) && matches(otherTokens, rest)
}

const ruledBy = (pattern: string, name: string): boolean =>
  matches(pattern.match(/\\.|./gsu) ?? [], name.match(/./gsu) ?? [])

const visibilityOf = (account: WorldAccount, names: Names): EffectiveVisibility => {
  const set = account.settings.find(({ path }) => path === `/${names.join('/')}`)
  if (set !== undefined) return { inherited: false, visibility: set.visibility }
  const name = names.at(-1)
  if (name === undefined) return { inherited: false, visibility: 'private' }
  const above = visibilityOf(account, names.slice(0, -1)).visibility
  const ruled = (account.rules ?? []).filter(({ pattern }) => ruledBy(pattern, name))
  if (ruled.some(({ visibility }) => visibility === 'private')) return { inherited: false, visibility: 'private' }
  if (ruled.length > 0 && above !== 'private') return { inherited: false, visibility: 'hidden' }
  return { inherited: true, visibility: above }
}

const isShownToVisitors = ({ inherited, visibility }: EffectiveVisibility): boolean =>
  visibility === 'public' || (visibility === 'hidden' && inherited)

// Nodes

const isFindable = (node: WorldNode): node is FindableNode => node.type === 'file' || node.type === 'dir'

interface Viewer {
  readonly account: WorldAccount
  readonly isOwner: boolean
}

/** Reports whether the viewer may learn that a node exists. */
const mayKnow = ({ account, isOwner }: Viewer, names: Names): boolean =>
  isOwner || visibilityOf(account, names).visibility !== 'private'

type NotFound = 'file not found' | 'type mismatch' | 'external'

const find = (viewer: Viewer, root: WorldDirectory, names: Names): FindableNode | NotFound => {
  let current: FindableNode = root
  for (const [depth, name] of names.entries()) {
    if (current.type === 'file') return mayKnow(viewer, names.slice(0, depth)) ? 'type mismatch' : 'file not found'
    if (current.locked) return 'external'
    const next: WorldNode | undefined = current.content.find((node) => node.name === name)
    if (next?.type === 'dead') return 'external'
    if (next === undefined || !isFindable(next)) return 'file not found'
    current = next
  }
  return current
}

/** Lists the children that the viewer sees; `undefined` if the listing would be incomplete. */
const childrenOf = (
  { account, isOwner }: Viewer,
  directory: WorldDirectory,
  names: Names,
): ReadonlyArray<FindableNode> | undefined => {
  const shown = directory.content
    .filter(({ name }) => isPath([...names, name]))
    .filter(({ name }) => isOwner || isShownToVisitors(visibilityOf(account, [...names, name])))
  if (directory.locked || shown.some(({ type }) => type === 'dead')) return undefined
  return shown.filter(isFindable).sort((x, y) => Buffer.compare(Buffer.from(x.name), Buffer.from(y.name)))
}

const treeOf = (viewer: Viewer, node: FindableNode, names: Names, depth: number): unknown => {
  const visibility = visibilityOf(viewer.account, names)
  const { type, name } = node
  if (type === 'file') return { type, name, size: node.size, last_modified: node.last_modified, visibility }
  const children = childrenOf(viewer, node, names)
  if (depth === 0 || children === undefined) return { type, name, visibility }
  const content = children.map((child) => treeOf(viewer, child, [...names, child.name], depth - 1))
  return { type, name, visibility, content }
}

/** Compares name by name. */
const isAfter = (names: Names, after: Names): boolean => {
  const at = names.findIndex((name, index) => name !== after[index])
  if (at === -1) return false
  const other = after[at]
  return other === undefined || Buffer.compare(Buffer.from(names[at] ?? ''), Buffer.from(other)) > 0
}

const isAtOrAbove = (names: Names, others: Names): boolean => names.every((name, index) => name === others[index])

interface LineFilter {
  readonly after: Names | undefined
  readonly name: string | undefined
}

/** Returns the lines of a node and of the nodes below it. */
const linesOf = (
  viewer: Viewer,
  node: FindableNode,
  names: Names,
  depth: number,
  filter: LineFilter,
): ReadonlyArray<string> => {
  const { type, name, last_modified } = node
  const isExpanded = type === 'file' || depth > 0
  const visibleChildren = type === 'file' ? [] : childrenOf(viewer, node, names)
  const children = isExpanded ? visibleChildren : undefined
  const { after } = filter
  const isAfterCursor = after === undefined || isAfter(names, after)
  // The line of an unreadable directory is sent even if its name does not match or the cursor is below it: only this line tells a
  // client that nodes are missing.
  const isSent =
    isExpanded && visibleChildren === undefined
      ? isAfterCursor || isAtOrAbove(names, after)
      : isAfterCursor && (filter.name === undefined || ruledBy(filter.name, name))
  const line = {
    type,
    path: `/${names.join('/')}`,
    size: type === 'file' ? node.size : 0n,
    last_modified,
    visibility: visibilityOf(viewer.account, names),
    ...(children === undefined ? { expanded: false } : {}),
  }
  const below = children?.flatMap((child) => linesOf(viewer, child, [...names, child.name], depth - 1, filter)) ?? []
  return isSent ? [`${jsonText(line)}\n`, ...below] : below
}

const itemOf = (viewer: Viewer, node: FindableNode, parentNames: Names): unknown => ({
  visibility: visibilityOf(viewer.account, [...parentNames, node.name]),
  is_file: node.type === 'file',
  name: node.name,
  last_modified: node.last_modified,
  size: node.type === 'file' ? node.size : 0n,
})

// Answers for authorized requests

export type NodeAsk = TreeAsk | DirItemsAsk

const isTreeAsk = (ask: NodeAsk): ask is TreeAsk =>
  ask.operation === 'storageTree' || ask.operation === 'userContentTree'

const lineFilterOf = (ask: NodeAsk): LineFilter | undefined =>
  isTreeAsk(ask) && ask.lines !== undefined
    ? { after: ask.lines.after?.split('/').filter((name) => name !== ''), name: ask.lines.name }
    : undefined

const answerAt = (viewer: Viewer, ask: NodeAsk, names: Names): Answer => {
  const { area } = viewer.account
  const filter = lineFilterOf(ask)
  const resumeAt = filter?.after ?? names
  if (!isAtOrAbove(names, resumeAt) || !mayKnow(viewer, resumeAt)) return fail('permission denied')
  if (area === 'missing') return fail('external')
  const node = find(viewer, { type: 'dir', name: '', last_modified: 0n, content: area }, names)
  if (typeof node === 'string') return fail(node)
  if (isTreeAsk(ask)) {
    if (node.type === 'file' && /(\/|%2f)$/i.test(ask.path)) return fail('type mismatch')
    // Fails for the requested node only; a directory below it is just not expanded.
    if (node.type === 'dir' && ask.depth !== 0 && childrenOf(viewer, node, names) === undefined) return fail('external')
    const depth = ask.depth ?? Number.POSITIVE_INFINITY
    if (filter === undefined) return answer({ type: 'tree', content: treeOf(viewer, node, names, depth) })
    return { body: [...linesOf(viewer, node, names, depth, filter), '{"type":"end"}\n'].join('') }
  }
  if (node.type === 'file') return fail('type mismatch')
  const children = childrenOf(viewer, node, names)
  if (children === undefined) return fail('external')
  const after = Buffer.from(ask.after ?? '')
  const items = children
    .filter(({ name }) => ask.after === undefined || Buffer.compare(Buffer.from(name), after) > 0)
    .slice(0, ask.limit ?? Number.POSITIVE_INFINITY)
  return answer({ type: 'dir content', content: items.map((item) => itemOf(viewer, item, names)) })
}

// Authorization, in the order of its checks

const answerOwner = ({ accounts }: World, ask: NodeAsk): Answer => {
  const text = decoded(ask.credential)
  const account = accounts.find(({ tokens }) => tokens.some(({ token, state }) => token === text && state === 'valid'))
  const token = account?.tokens.find((candidate) => candidate.token === text)
  if (account === undefined || token === undefined) return fail('invalid token')
  if (!account.verified) return fail('not verified')
  const names = namesOf(ask.path)
  if (names === undefined) return fail('file not found')
  const scope = token.scope.split('/').filter((name) => name !== '')
  if (!isAtOrAbove(scope, names)) return fail('permission denied')
  return answerAt({ account, isOwner: true }, ask, names)
}

const answerVisitor = ({ accounts }: World, ask: NodeAsk): Answer => {
  const names = namesOf(ask.path)
  if (names === undefined) return fail('file not found')
  const account = accounts.find(({ id, verified }) => id === decoded(ask.credential) && verified)
  if (account === undefined || visibilityOf(account, names).visibility === 'private') return fail('permission denied')
  return answerAt({ account, isOwner: false }, ask, names)
}

const peek = ({ triggers }: World, credential: string): Answer => {
  const trigger = triggers.find(({ id, state }) => id === decoded(credential) && state === 'valid')
  return trigger === undefined
    ? fail('trigger not found')
    : // `peak` is the spelling of the interface.
      { body: `{"type":"trigger peak","value":${trigger.value}}` }
}

/** Returns the answer according to the interface and docs/semantics.md. Assumes that valid triggers have well-formed values. */
export const model = (world: World, ask: Ask): Answer => {
  switch (ask.operation) {
    case 'storageTree':
    case 'storageDirItems':
      return answerOwner(world, ask)
    case 'userContentTree':
    case 'userContentDirItems':
      return answerVisitor(world, ask)
    case 'triggerPeek':
      return peek(world, ask.credential)
  }
}
