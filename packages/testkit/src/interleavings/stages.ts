import type { Visibility } from '@canopy/domain'
import { byToken, byUser } from '../scenarios/Scenario.js'
import { dir, file, type World, type WorldAccount, type WorldNode } from '../World.js'

/** A small world: one account, with its nodes as paths. A slash ends the path of an empty directory. */
export type Scene = Omit<WorldAccount, 'area'> & { readonly paths: ReadonlyArray<string> }

const nodesIn = (paths: Scene['paths']): ReadonlyArray<WorldNode> =>
  [...new Set(paths.map((path) => path.split('/')[1] ?? ''))].map((name) => {
    const below = paths.filter((path) => path.startsWith(`/${name}/`)).map((path) => path.slice(name.length + 1))
    return below.length === 0 ? file(name) : dir(name, ...nodesIn(below.filter((path) => path !== '/')))
  })

export const worldOf = ({ paths, ...account }: Scene): World => ({
  accounts: [{ ...account, area: nodesIn(paths) }],
  triggers: [],
})

const token = `cnp_${'A'.repeat(43)}`
const [owner, visitor] = [byToken(token), byUser('1')]

const scene = (visibilities: Record<string, Visibility.Visibility>, paths: Scene['paths'], scope = '/'): Scene => {
  const settings = Object.entries(visibilities).map(([path, visibility]) => ({ path, visibility }))
  return { id: '1', verified: true, tokens: [{ token, scope, state: 'valid' }], settings, paths }
}

const change = (name: string, update: (before: Scene) => Partial<Scene>) => ({ name, update })
const set = (path: string, visibility: Visibility.Visibility) =>
  change(`${path} becomes ${visibility}`, ({ settings }) => ({
    settings: [...settings.filter((setting) => setting.path !== path), { path, visibility }],
  }))
const revoke = change('the token is revoked', () => ({ tokens: [] }))
const unverify = change('the account is unverified', () => ({ verified: false }))
const move = change('the area is moved', ({ paths }) => ({ location: 'moved', paths: paths.map((path) => `${path}2`) }))
const add = (added: string) => change(`${added} is added`, ({ paths }) => ({ paths: [...paths, added] }))
const remove = (removed: string) =>
  change(`${removed} is removed`, ({ paths }) => ({ paths: paths.filter((path) => !path.startsWith(removed)) }))
const rename = (from: string, to: string) =>
  change(`${from} is renamed to ${to}`, ({ paths }) => ({ paths: paths.map((path) => path.replace(from, to)) }))

/** Requests, and changes that may fall between the calls of each. */
export const stages = {
  'a public directory becomes private, and is filled': {
    scene: scene({ '/d': 'public' }, ['/d/a', '/d/b']),
    requests: [visitor.tree('/d'), visitor.items('/d'), owner.items('/d')],
    changes: [set('/d', 'private'), add('/d/aa'), rename('/d/b', '/d/c')],
  },
  'a directory between becomes private': {
    scene: scene({ '/': 'public', '/d/s': 'public' }, ['/d/s/a']),
    requests: [visitor.tree(), visitor.tree('/d/s')],
    changes: [set('/d', 'private'), set('/', 'private'), add('/d/s/b')],
  },
  'nodes become hidden': {
    scene: scene({ '/h': 'hidden', '/h/b': 'public' }, ['/h/a/x', '/h/b']),
    requests: [visitor.tree('/h'), visitor.items('/h'), owner.items('/h')],
    changes: [set('/h/a', 'hidden'), set('/h/b', 'hidden'), add('/h/a/y')],
  },
  'a secret is removed, and its name becomes public': {
    scene: scene({ '/d': 'public', '/d/secret': 'private' }, ['/d/a', '/d/secret']),
    requests: [visitor.tree('/d'), visitor.items('/d', { limit: 1 }), visitor.tree('/d/secret')],
    changes: [set('/d/secret', 'public'), remove('/d/secret'), remove('/d/a')],
  },
  'a token with a scope is revoked': {
    scene: scene({}, ['/d/s/a', '/d/b', '/e'], '/d'),
    requests: [owner.tree('/d'), owner.items('/d/s'), owner.items('/d/missing'), owner.tree('/e')],
    changes: [revoke, add('/d/s/aa'), remove('/d/s/')],
  },
  'an account is unverified': {
    scene: scene({ '/': 'public' }, ['/d/a', '/d/b']),
    requests: [visitor.tree(), visitor.items('/d'), visitor.items('/missing'), owner.items('/d')],
    changes: [unverify, add('/d/aa'), remove('/d/')],
  },
  'an area is moved': {
    scene: scene({ '/': 'public' }, ['/d/a', '/d/b', '/f']),
    requests: [visitor.items('/d'), visitor.tree('/f'), owner.tree('/d'), owner.items('/f')],
    changes: [move, add('/d/aa'), remove('/f')],
  },
  'a file is in the way': {
    scene: scene({ '/f': 'hidden', '/f/x': 'public' }, ['/f', '/g']),
    requests: [visitor.tree('/f/x/y'), visitor.items('/f/x'), visitor.tree('/f/'), owner.items('/g')],
    changes: [set('/f', 'private'), set('/', 'public'), remove('/f')],
  },
  'a deep path becomes private in the middle': {
    scene: scene({ '/a': 'public', '/a/b/c': 'hidden' }, ['/a/b/c/x']),
    requests: [visitor.tree('/a/b'), visitor.items('/a/b/c'), visitor.tree('/a', { depth: 1 })],
    changes: [set('/a/b', 'private'), set('/a/b/c', 'public'), rename('/a/b/', '/a/bb/')],
  },
  'the requested directory goes away': {
    scene: scene({ '/d': 'public', '/d/b': 'private' }, ['/d/a/x', '/d/b/']),
    requests: [visitor.tree('/d'), visitor.items('/d', { limit: 1, after: 'a' })],
    changes: [remove('/d/'), rename('/d/a/', '/d/e/'), set('/d/b', 'public')],
  },
}
