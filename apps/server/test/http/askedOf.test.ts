import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import { describe, expect, it } from 'vitest'
import { noSuchRoute } from '../../src/http/Refusal.js'
import { askedOf } from '../../src/http/request.js'
import type { Route } from '../../src/routes.js'

const tree: Route = {
  operation: 'storageTree',
  prefix: '/tree/',
  takesPath: true,
  credential: 'token',
  answer: () => RTE.left(noSuchRoute),
}
const peek: Route = { ...tree, operation: 'triggerPeek', prefix: '/peek/', takesPath: false }

const asked = (route: Route, path: string, query = '') => askedOf(route, { path, query })

describe('what a target asks of a route', () => {
  it.each([
    ['/tree/token', 'token', ''],
    ['/tree/token/', 'token', '/'],
    ['/tree/token/a/b', 'token', '/a/b'],
    ['/tree/token//a', 'token', '//a'],
    ['/tree/to%2Fken/a%2Fb', 'to%2Fken', '/a%2Fb'],
    ['/tree/t/tree/u', 't', '/tree/u'],
  ])('%s: the segment after the prefix, and what follows it, raw', (path, credential, rest) => {
    expect(asked(tree, path)).toStrictEqual(O.some({ credential, path: rest, query: '' }))
  })

  it('keeps the query', () => {
    expect(asked(tree, '/tree/token/a', 'depth=1')).toStrictEqual(
      O.some({ credential: 'token', path: '/a', query: 'depth=1' }),
    )
  })

  it.each(['/tree/', '/tree//', '/tree//a'])('%s has no segment after the prefix: it is not the route', (path) => {
    expect(asked(tree, path)).toStrictEqual(O.none)
  })

  it.each(['/', '/tree', '/Tree/token', '/trees/token', '/tree%2Ftoken', '/a/tree/', '/a/tree/token', 'tree/token'])(
    '%s does not begin with the prefix: it is not the route',
    (path) => {
      expect(asked(tree, path)).toStrictEqual(O.none)
    },
  )

  it('a route without a path takes one segment and nothing after it', () => {
    expect(asked(peek, '/peek/bell')).toStrictEqual(O.some({ credential: 'bell', path: '', query: '' }))
    expect(asked(peek, '/peek/')).toStrictEqual(O.none)
    expect(asked(peek, '/peek/bell/')).toStrictEqual(O.none)
    expect(asked(peek, '/peek/bell/a')).toStrictEqual(O.none)
  })
})
