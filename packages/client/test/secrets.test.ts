import type { RequestListener } from 'node:http'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { CanopyError, client as promiseClient } from '../src/promise/index.js'
import { against, error, item, listingOf, root, saying, secretTrigger, token } from './answering.js'

/** Answers that repeat what was asked, as a careless or hostile service may. */
const echoes: ReadonlyArray<readonly [string, RequestListener]> = [
  ['as an error name', (request, response) => saying(404, error(request.url ?? ''))(request, response)],
  ['as text', (request, response) => saying(200, request.url ?? '')(request, response)],
  ['as a field', (request, response) => saying(200, `{"${request.url}":1,"type":"${request.url}"}`)(request, response)],
  [
    'as the value of a field',
    (request, response) => saying(200, listingOf(item('a', `"${request.url}"`)))(request, response),
  ],
  [
    'as a redirect',
    (request, response) => saying(302, '', { Location: `http://127.0.0.1:1${request.url}` })(request, response),
  ],
  [
    'as a link',
    (request, response) =>
      saying(200, listingOf(item('a')), { Link: `<http://elsewhere${request.url}>; rel="next"` })(request, response),
  ],
  ['as nothing at all', (request) => request.socket.destroy()],
  [
    'half-way',
    (request, response) => {
      response.writeHead(200)
      response.write(request.url)
      setImmediate(() => response.destroy())
    },
  ],
]

const spelled = (text: string): ReadonlyArray<string> => [text, encodeURIComponent(text), text.replaceAll(' ', '+')]
const secrets = [token, secretTrigger].flatMap(spelled)

const told = (thing: unknown): string =>
  `${inspect(thing, { depth: null, showHidden: true })}${String(thing)}${JSON.stringify(thing)}`

const leaked = (thing: unknown): ReadonlyArray<string> => secrets.filter((secret) => told(thing).includes(secret))

describe('a token and a trigger id stand in no failure', () => {
  it.each(echoes)('also when the service repeats them %s', async (_, listener) => {
    await against(listener, async (canopy, { baseUrl, targets }) => {
      const failures = [
        await canopy.storageTree({ token, path: root })(),
        await canopy.storageDirItems({ token, path: root })(),
        await canopy.triggerPeek({ id: secretTrigger })(),
      ]
      expect(failures.map(({ _tag }) => _tag)).toEqual(['Left', 'Left', 'Left'])
      expect(failures.flatMap(leaked)).toEqual([])

      const promised = promiseClient({ baseUrl, retries: 0 })
      const thrown = await Promise.all(
        [
          promised.storageTree({ token, path: '/' }),
          promised.storageDirItems({ token, path: '/' }),
          promised.triggerPeek({ id: secretTrigger }),
        ].map((promise) => promise.catch((reason: unknown) => reason)),
      )
      expect(thrown.filter((each) => !(each instanceof CanopyError))).toEqual([])
      expect(thrown.flatMap((each) => [...leaked(each), ...leaked((each as CanopyError).stack)])).toEqual([])
      expect(targets.length).toBe(6)
    })
  })
})
