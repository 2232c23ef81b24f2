import type { RequestListener } from 'node:http'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type CanopyError, toResult } from '../src/index.js'
import {
  clientWithFetch,
  cutResponse,
  error,
  errorOf,
  hangUp,
  item,
  listingOf,
  respond,
  secretTrigger,
  token,
  withStub,
} from './stubService.js'

it('toResult rethrows errors other than CanopyError', async () => {
  await expect(toResult(Promise.reject(new Error('other')))).rejects.toThrow('other')
})

/** A careless or hostile service may repeat the target, which holds secrets. */
const echoes: ReadonlyArray<readonly [string, (asked: string) => RequestListener]> = [
  ['as an error name', (asked) => respond(404, error(asked))],
  ['as a parameter', (asked) => respond(400, `{"type":"error","error":"bad request","parameter":"${asked}"}`)],
  ['as text', (asked) => respond(200, asked)],
  ['as the value of a field', (asked) => respond(200, listingOf(item('a', `"${asked}"`)))],
  ['as a redirect', (asked) => respond(302, '', { Location: `http://127.0.0.1:1${asked}` })],
  ['as a link', (asked) => respond(200, listingOf(item('a')), { Link: `<http://elsewhere${asked}>; rel="next"` })],
  ['by hanging up', () => hangUp],
  ['in a cut response', (asked) => cutResponse({}, asked)],
]

const spelled = (text: string): ReadonlyArray<string> => [text, encodeURIComponent(text), text.replaceAll(' ', '+')]
const secrets = [token, secretTrigger, 'Sesame'].flatMap(spelled)

const leaked = (thing: CanopyError): ReadonlyArray<string> => {
  const whole = inspect(thing, { depth: null, showHidden: true })
  const told = `${whole}${String(thing)}${JSON.stringify(thing)}${thing.stack}${String(thing.cause)}`
  return secrets.filter((secret) => told.includes(secret))
}

describe('no failure contains a token or a trigger id', () => {
  it.each(echoes)('even if the service repeats them %s', async (_, echo) => {
    const listener: RequestListener = (request, response) => echo(request.url ?? '')(request, response)
    await withStub(listener, async (canopy, { targets }) => {
      const thrown = await Promise.all(
        [
          canopy.storageTree({ token, path: '/' }),
          canopy.storageDirItems({ token, path: '/' }),
          canopy.triggerPeek({ id: secretTrigger }),
        ].map(errorOf),
      )
      expect(thrown.flatMap(leaked)).toEqual([])
      expect(targets.length).toBe(3)
    })
  })

  it.each([
    ['a message', (secret: string) => new TypeError(`Failed to parse URL from http://host/${secret}`)],
    ['a cause', (secret: string) => new TypeError('fetch failed', { cause: new Error(secret) })],
    ['a code', (secret: string) => new TypeError('x', { cause: { code: secret } })],
    ['a name', (secret: string) => Object.assign(new Error('x'), { name: secret })],
  ])('even if fetch repeats them in %s', async (_, thrown) => {
    const throwing = (secret: string) => clientWithFetch(() => Promise.reject(thrown(secret)))
    expect(leaked(await errorOf(throwing(token).storageTree({ token, path: '/' })))).toEqual([])
    expect(leaked(await errorOf(throwing('Sesame').triggerPeek({ id: 'Sesame' })))).toEqual([])
  })

  it('nor in an inspected page', async () => {
    await withStub(respond(200, listingOf(item('a')), { Link: '<?after=a>; rel="next"' }), async (canopy) => {
      const page = await canopy.storageDirItems({ token, path: '/', limit: 1 })
      expect(inspect(page, { depth: null, showHidden: true })).not.toContain(token)
    })
  })
})
