import type { Visibility } from '@canopy/domain'
import { byToken, byUser } from '../scenarios/Scenario.js'
import { dir, file, type World, type WorldAccount, type WorldNode } from '../World.js'

/** A small world of one account. Nodes are paths; a slash ends the path of an empty directory. */
export interface SmallWorld extends Partial<Pick<WorldAccount, 'verified' | 'tokens' | 'location' | 'rules'>> {
  readonly settings: Readonly<Record<string, Visibility.Visibility>>
  readonly paths: ReadonlyArray<string>
}

const nodesIn = (paths: SmallWorld['paths']): ReadonlyArray<WorldNode> =>
  [...new Set(paths.map((path) => path.split('/')[1] ?? ''))].map((name) => {
    const below = paths.filter((path) => path.startsWith(`/${name}/`)).map((path) => path.slice(name.length + 1))
    return below.length === 0 ? file(name) : dir(name, ...nodesIn(below.filter((path) => path !== '/')))
  })

const [token, narrow] = [`cnp_${'A'.repeat(43)}`, `cnp_${'E'.repeat(43)}`]
const [owner, scoped, visitor] = [byToken(token), byToken(narrow), byUser('1')]
const validToken = (text: string, scope: string) => ({ token: text, scope, state: 'valid' as const })
const tokens = [validToken(token, '/'), validToken(narrow, '/d')]

/** Returns text that is equal for worlds that differ only in nodes. */
export const rowsOf = (world: SmallWorld): string => JSON.stringify({ ...world, paths: [] })

export const toWorld = ({ settings: record, paths, ...changed }: SmallWorld): World => {
  const settings = Object.entries(record).map(([path, visibility]) => ({ path, visibility }))
  return { accounts: [{ id: '1', verified: true, tokens, settings, area: nodesIn(paths), ...changed }], triggers: [] }
}

const change = (name: string, update: (before: SmallWorld) => Partial<SmallWorld>) => ({ name, update })
export type Change = ReturnType<typeof change>
const set = (path: string, visibility: Visibility.Visibility) =>
  change(`${path} becomes ${visibility}`, ({ settings }) => ({ settings: { ...settings, [path]: visibility } }))
const addRule = change('the rule `s` is added', () => ({ rules: [{ pattern: 's', visibility: 'private' }] }))
const move = change('the area is moved', ({ paths }) => ({ location: 'moved', paths: paths.map((path) => `${path}2`) }))
const add = (added: string) => change(`${added} is added`, ({ paths }) => ({ paths: [...paths, added] }))
const remove = (removed: string) =>
  change(`${removed} is removed`, ({ paths }) => ({ paths: paths.filter((path) => !path.startsWith(removed)) }))
const rename = (from: string, to: string) =>
  change(`${from} is renamed to ${to}`, ({ paths }) => ({ paths: paths.map((path) => path.replace(from, to)) }))

const caseOf = <Rest>(name: string, settings: SmallWorld['settings'], paths: SmallWorld['paths'], rest: Rest) => {
  return { name, world: { settings, paths }, ...rest }
}

export const cases = [
  caseOf('a public directory becomes private, and is filled', { '/d': 'public' }, ['/d/a', '/d/b'], {
    requests: [visitor.tree('/d'), visitor.lines('/d'), visitor.items('/d'), owner.items('/d'), visitor.tree('/d/a')],
    changes: [set('/d', 'private'), add('/d/aa'), rename('/d/b', '/d/c')],
  }),
  caseOf('a directory between becomes private', { '/': 'public', '/d/s': 'public' }, ['/d/s/a'], {
    requests: [visitor.tree(), visitor.lines(), visitor.tree('/d/s'), visitor.lines('', { after: '/d/s' })],
    changes: [set('/d', 'private'), set('/', 'private'), add('/d/s/b')],
  }),
  caseOf('nodes become hidden', { '/h': 'hidden', '/h/b': 'public' }, ['/h/a/x', '/h/b'], {
    requests: [visitor.tree('/h'), visitor.lines('/h', { after: '/h/a' }), visitor.items('/h'), owner.items('/h')],
    changes: [set('/h/a', 'hidden'), set('/h/b', 'hidden'), add('/h/a/y')],
  }),
  caseOf('a removed secret becomes public', { '/d': 'public', '/d/secret': 'private' }, ['/d/a', '/d/secret'], {
    requests: [visitor.tree('/d'), visitor.items('/d', { limit: 1 }), visitor.tree('/d/secret')],
    changes: [set('/d/secret', 'public'), remove('/d/secret'), remove('/d/a')],
  }),
  caseOf('a token with a scope is revoked', {}, ['/d/s/a', '/d/b', '/e'], {
    requests: [scoped.tree('/d'), scoped.lines('/d'), scoped.items('/d/s'), scoped.items('/d/none'), scoped.tree('/e')],
    changes: [change('the token is revoked', () => ({ tokens: [] })), add('/d/s/aa'), remove('/d/s/')],
  }),
  caseOf('an account is unverified', { '/': 'public' }, ['/d/a', '/d/b'], {
    requests: [visitor.tree(), visitor.lines(), visitor.items('/d'), visitor.items('/missing'), owner.items('/d')],
    changes: [change('the account is unverified', () => ({ verified: false })), add('/d/aa'), remove('/d/')],
  }),
  caseOf('an area is moved', { '/': 'public' }, ['/d/a', '/d/b', '/f'], {
    requests: [visitor.items('/d'), visitor.tree('/f'), owner.tree('/d'), owner.lines('/d'), owner.items('/f')],
    changes: [move, add('/d/aa'), remove('/f')],
  }),
  caseOf('a file is in the way', { '/f': 'hidden', '/f/x': 'public' }, ['/f', '/g'], {
    requests: [visitor.tree('/f/x/y'), visitor.items('/f/x'), visitor.tree('/f/'), owner.items('/g')],
    changes: [set('/f', 'private'), set('/', 'public'), remove('/f')],
  }),
  caseOf('a deep path becomes private in the middle', { '/a': 'public', '/a/b/c': 'hidden' }, ['/a/b/c/x'], {
    requests: [visitor.tree('/a/b'), visitor.items('/a/b/c'), visitor.tree('/a', { depth: 1 })],
    changes: [set('/a/b', 'private'), set('/a/b/c', 'public'), rename('/a/b/', '/a/bb/')],
  }),
  caseOf('a rule is added and removed', { '/d': 'public' }, ['/d/s/a', '/d/b'], {
    requests: [visitor.tree('/d'), visitor.items('/d'), visitor.tree('/d/s/a'), owner.items('/d')],
    changes: [addRule, change('the rule is removed', () => ({ rules: [] })), add('/d/s/b')],
  }),
  caseOf('the requested directory goes away', { '/d': 'public', '/d/b': 'private' }, ['/d/a/x', '/d/b/'], {
    requests: [visitor.tree('/d'), visitor.lines('/d'), visitor.items('/d', { limit: 1, after: 'a' })],
    changes: [remove('/d/'), rename('/d/a/', '/d/e/'), set('/d/b', 'public')],
  }),
]
