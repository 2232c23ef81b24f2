import { byToken, byUser } from '../scenarios/Scenario.js'
import { dir, file, type World, type WorldNode, type WorldSetting } from '../World.js'
import { type NodeAsk, remember } from './judge.js'

/** A small world of one account, requests, and changes that may fall between the calls of these requests. */
export interface Stage {
  readonly name: string
  readonly scene: Scene
  readonly requests: ReadonlyArray<NodeAsk>
  readonly changes: ReadonlyArray<Change>
}

/** What changes in the world of a stage. */
export interface Scene {
  readonly settings: Readonly<Record<string, WorldSetting['visibility']>>
  /** Files, and directories with a slash at the end. */
  readonly paths: ReadonlyArray<string>
  readonly scope?: string
  readonly isRevoked?: boolean
  readonly isUnverified?: boolean
  readonly isMoved?: boolean | undefined
}

export interface Change {
  readonly name: string
  readonly apply: (scene: Scene) => Scene
}

const token = `cnp_${'A'.repeat(43)}`
const [owner, visitor] = [byToken(token), byUser('1')]

const nodesBelow = (top: string, { paths, isMoved }: Pick<Scene, 'paths' | 'isMoved'>): ReadonlyArray<WorldNode> => {
  const below = paths.filter((path) => path.startsWith(top) && path !== top).map((path) => path.slice(top.length))
  return [...new Set(below.map((path) => path.replace(/(?<=\/).*/, '')))].map((name) =>
    name.endsWith('/')
      ? dir(name.slice(0, -1), ...nodesBelow(`${top}${name}`, { paths, isMoved }))
      : file(name, isMoved ? 2n : 1n),
  )
}

export const worldOf = remember(
  (scene: Scene): World => ({
    accounts: [
      {
        id: '1',
        location: scene.isMoved ? 'moved' : '1',
        verified: scene.isUnverified !== true,
        tokens: [{ token, scope: scene.scope ?? '/', state: scene.isRevoked ? 'revoked' : 'valid' }],
        settings: Object.entries(scene.settings).map(([path, visibility]) => ({ path, visibility })),
        area: nodesBelow('/', scene),
      },
    ],
    triggers: [],
  }),
)

const change = (name: string, apply: Change['apply']): Change => ({ name, apply: remember(apply) })
const set = (path: string, visibility: WorldSetting['visibility']) =>
  change(`${path} becomes ${visibility}`, (scene) => ({
    ...scene,
    settings: { ...scene.settings, [path]: visibility },
  }))
const edit = (name: string, editPaths: (paths: Scene['paths']) => Scene['paths']) =>
  change(name, (scene) => ({ ...scene, paths: editPaths(scene.paths) }))
const add = (path: string) => edit(`${path} is added`, (paths) => [...paths, path])
const isAtOrBelow = (node: string) => (path: string) => path === node || (node.endsWith('/') && path.startsWith(node))
const remove = (node: string) => edit(`${node} is removed`, (paths) => paths.filter((path) => !isAtOrBelow(node)(path)))
const rename = (from: string, to: string) =>
  edit(`${from} is renamed to ${to}`, (paths) =>
    paths.map((path) => (isAtOrBelow(from)(path) ? path.replace(from, to) : path)),
  )
const revoke = change('the token is revoked', (scene) => ({ ...scene, isRevoked: true }))
const unverify = change('the account is unverified', (scene) => ({ ...scene, isUnverified: true }))
const move = change('the area is moved', (scene) => ({ ...scene, isMoved: true }))

export const stages: ReadonlyArray<Stage> = [
  {
    name: 'a public directory becomes private, and is filled',
    scene: { settings: { '/d': 'public' }, paths: ['/d/a', '/d/b'] },
    requests: [visitor.tree('/d'), visitor.items('/d'), owner.items('/d')],
    changes: [set('/d', 'private'), add('/d/aa'), rename('/d/a', '/d/c')],
  },
  {
    name: 'a directory between becomes private',
    scene: { settings: { '/': 'public', '/d/s': 'public' }, paths: ['/d/s/a'] },
    requests: [visitor.tree(), visitor.tree('/d/s')],
    changes: [set('/d', 'private'), set('/', 'private'), add('/d/s/b')],
  },
  {
    name: 'nodes become hidden',
    scene: { settings: { '/h': 'hidden', '/h/b': 'public' }, paths: ['/h/a/x', '/h/b'] },
    requests: [visitor.tree('/h'), visitor.items('/h'), owner.items('/h')],
    changes: [set('/h/a', 'hidden'), set('/h/b', 'hidden'), add('/h/a/y')],
  },
  {
    name: 'a secret is removed, and its name becomes public',
    scene: { settings: { '/d': 'public', '/d/secret': 'private' }, paths: ['/d/a', '/d/secret'] },
    requests: [visitor.tree('/d'), visitor.items('/d', { limit: 1 }), visitor.tree('/d/secret')],
    changes: [set('/d/secret', 'public'), remove('/d/secret'), remove('/d/a')],
  },
  {
    name: 'a token with a scope is revoked',
    scene: { settings: {}, paths: ['/d/s/a', '/d/b', '/e'], scope: '/d' },
    requests: [owner.tree('/d'), owner.items('/d/s'), owner.items('/d/missing'), owner.tree('/e')],
    changes: [revoke, add('/d/s/aa'), remove('/d/s/')],
  },
  {
    name: 'an account is unverified',
    scene: { settings: { '/': 'public' }, paths: ['/d/a', '/d/b'] },
    requests: [visitor.tree(), visitor.items('/d'), visitor.items('/missing'), owner.items('/d')],
    changes: [unverify, add('/d/aa'), remove('/d/')],
  },
  {
    name: 'an area is moved',
    scene: { settings: { '/': 'public' }, paths: ['/d/a', '/d/b', '/f'] },
    requests: [visitor.items('/d'), visitor.tree('/f'), owner.tree('/d'), owner.items('/f')],
    changes: [move, add('/d/aa'), remove('/f')],
  },
  {
    name: 'a file is in the way',
    scene: { settings: { '/f': 'hidden', '/f/x': 'public' }, paths: ['/f', '/g'] },
    requests: [visitor.tree('/f/x/y'), visitor.items('/f/x'), visitor.tree('/f/'), owner.items('/g')],
    changes: [set('/f', 'private'), set('/', 'public'), remove('/f')],
  },
  {
    name: 'a deep path becomes private in the middle',
    scene: { settings: { '/a': 'public', '/a/b/c': 'hidden' }, paths: ['/a/b/c/x'] },
    requests: [visitor.tree('/a/b'), visitor.items('/a/b/c'), visitor.tree('/a', { depth: 1 })],
    changes: [set('/a/b', 'private'), set('/a/b/c', 'public'), rename('/a/b/', '/a/bb/')],
  },
  {
    name: 'the requested directory goes away',
    scene: { settings: { '/d': 'public', '/d/b': 'private' }, paths: ['/d/a/x', '/d/b/'] },
    requests: [visitor.tree('/d'), visitor.items('/d', { limit: 1, after: 'a' })],
    changes: [remove('/d/'), rename('/d/a/', '/d/e/'), set('/d/b', 'public')],
  },
]
