import type { RequestListener } from 'node:http'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { CanopyError, type Failure, messageOf, result } from '../src/index.js'
import {
  against,
  breakingOff,
  emptyTree,
  error,
  hangingUp,
  inTurn,
  item,
  listingOf,
  saying,
  secretTrigger,
  thrownBy,
  token,
  visitor,
} from './answering.js'

it('a rejection is a CanopyError with the failure and a message', async () => {
  await against(saying(403, error('not verified')), async (canopy) => {
    const { name, message, failure } = await thrownBy(canopy.storageTree({ token, path: '/' }))
    expect([name, message, failure]).toEqual(['CanopyError', 'not verified', { error: 'not verified' }])
  })
})

describe('the message of a failure', () => {
  const failures: ReadonlyArray<readonly [Failure, string]> = [
    [{ error: 'file not found' }, 'file not found'],
    [{ error: 'malformed input', message: 'the path must be "/"' }, 'the path must be "/"'],
    [{ error: 'bad request', parameter: undefined }, 'bad request'],
    [{ error: 'bad request', parameter: 'depth' }, 'bad request: the parameter depth'],
    [{ error: 'overloaded', retryAfter: 0 }, 'overloaded'],
    [{ error: 'overloaded', retryAfter: 9 }, 'overloaded: try again in 9 s'],
    [{ error: 'too many requests', retryAfter: 9 }, 'too many requests: try again in 9 s'],
    [{ error: 'no answer', cause: 'ECONNREFUSED' }, 'no answer (ECONNREFUSED)'],
    [{ error: 'incomplete answer' }, 'the answer ended too early'],
    [
      { error: 'malformed answer', at: 'content.size' },
      'the answer does not have the form of the interface: content.size',
    ],
    [{ error: 'unexpected answer', status: 500 }, 'unexpected answer (500)'],
    [{ error: 'unexpected answer', status: 404 }, 'unexpected answer (404): check the base URL'],
    [{ error: 'unexpected answer', status: 0 }, 'unexpected answer (0): check the base URL'],
    [{ error: 'timed out', timeoutMs: 20 }, 'no complete answer within 20 ms'],
    [{ error: 'aborted' }, 'the call was aborted'],
  ]

  it.each(failures)('of %o is: %s', (failure, message) => {
    expect([messageOf(failure), new CanopyError(failure).message]).toEqual([message, message])
  })
})

describe('the result of a call', () => {
  it('is its value or its failure', async () => {
    await against(inTurn(saying(200, emptyTree), saying(502, error('external'))), async (canopy) => {
      expect(await result(canopy.userContentTree(visitor))).toMatchObject({ value: { type: 'dir' } })
      expect(await result(canopy.userContentTree(visitor))).toEqual({ failure: { error: 'external' } })
    })
  })

  it('is no failure when something else was thrown', async () => {
    await expect(result(Promise.reject(new Error('other')))).rejects.toThrow('other')
  })
})

/** Answers that repeat what was asked, as a careless or hostile service may. */
const echoes: ReadonlyArray<readonly [string, (asked: string) => RequestListener]> = [
  ['as an error name', (asked) => saying(404, error(asked))],
  ['as a parameter', (asked) => saying(400, `{"type":"error","error":"bad request","parameter":"${asked}"}`)],
  ['as text', (asked) => saying(200, asked)],
  ['as a field', (asked) => saying(200, `{"${asked}":1,"type":"${asked}"}`)],
  ['as the value of a field', (asked) => saying(200, listingOf(item('a', `"${asked}"`)))],
  ['as a redirect', (asked) => saying(302, '', { Location: `http://127.0.0.1:1${asked}` })],
  ['as a link', (asked) => saying(200, listingOf(item('a')), { Link: `<http://elsewhere${asked}>; rel="next"` })],
  ['as nothing at all', () => hangingUp],
  ['half-way', (asked) => breakingOff({}, asked)],
]

const spelled = (text: string): ReadonlyArray<string> => [text, encodeURIComponent(text), text.replaceAll(' ', '+')]
const secrets = [token, secretTrigger].flatMap(spelled)

const told = (thing: CanopyError): string =>
  `${inspect(thing, { depth: null, showHidden: true })}${String(thing)}${JSON.stringify(thing)}${thing.stack}${String(thing.cause)}`

const leaked = (thing: CanopyError): ReadonlyArray<string> => secrets.filter((secret) => told(thing).includes(secret))

describe('a token and a trigger id are in no failure', () => {
  it.each(echoes)('also when the service repeats them %s', async (_, echo) => {
    const listener: RequestListener = (request, response) => echo(request.url ?? '')(request, response)
    await against(listener, async (canopy, { targets }) => {
      const thrown = await Promise.all(
        [
          canopy.storageTree({ token, path: '/' }),
          canopy.storageDirItems({ token, path: '/' }),
          canopy.triggerPeek({ id: secretTrigger }),
        ].map(thrownBy),
      )
      expect(thrown.flatMap(leaked)).toEqual([])
      expect(targets.length).toBe(3)
    })
  })

  it.each([
    ['a message', () => new TypeError(`Failed to parse URL from http://host/${token}/${secretTrigger}`)],
    ['a cause', () => new TypeError('fetch failed', { cause: new Error(`${token} ${secretTrigger}`) })],
    [
      'the input of a cause, as Node does',
      () => new TypeError('x', { cause: Object.assign(new Error(token), { code: 'ERR_INVALID_URL', input: token }) }),
    ],
  ])('also when fetch repeats them in %s', async (_, thrown) => {
    const fetch = () => Promise.reject(thrown())
    await against(
      saying(200, ''),
      async (canopy) => {
        expect(leaked(await thrownBy(canopy.storageTree({ token, path: '/' })))).toEqual([])
        expect(leaked(await thrownBy(canopy.triggerPeek({ id: secretTrigger })))).toEqual([])
      },
      { fetch },
    )
  })

  it('also when a page is shown', async () => {
    await against(saying(200, listingOf(item('a')), { Link: '<?after=a>; rel="next"' }), async (canopy) => {
      const page = await canopy.storageDirItems({ token, path: '/', limit: 1 })
      expect(inspect(page, { depth: null, showHidden: true })).not.toContain(token)
    })
  })
})
