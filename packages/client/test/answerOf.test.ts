import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { TransportFailure } from '../src/index.js'
import { against, error, root, saying, secretTrigger, token, user } from './answering.js'

const visitorTree = { user, path: root }

describe('a failure of an operation', () => {
  it('is a name of its column with the status of that name', async () => {
    await against(saying(409, error('type mismatch')), async (canopy) => {
      expect(await canopy.storageTree({ token, path: root })()).toEqual(E.left({ error: 'type mismatch' }))
      expect(await canopy.userContentDirItems(visitorTree)()).toEqual(E.left({ error: 'type mismatch' }))
    })
  })

  it('carries no cause, also as external', async () => {
    const body = '{"type":"error","error":"external","cause":"disk 7"}'
    await against(saying(502, body), async (canopy) => {
      expect(await canopy.triggerPeek({ id: secretTrigger })()).toEqual(E.left({ error: 'external' }))
    })
  })

  it('of another operation is an unexpected answer that keeps its name', async () => {
    await against(saying(404, error('trigger not found')), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status: 404, name: 'trigger not found' }),
      )
    })
    await against(saying(401, error('invalid token')), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status: 401, name: 'invalid token' }),
      )
    })
  })

  it('with another status is an unexpected answer', async () => {
    await against(saying(500, error('file not found')), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status: 500, name: 'file not found' }),
      )
    })
  })
})

describe('a refusal of the service', () => {
  it.each([
    [400, 'bad request'],
    [404, 'no such route'],
    [405, 'method not allowed'],
    [429, 'too many requests'],
    [503, 'overloaded'],
  ] as const)('%s keeps its name: %s', async (status, name) => {
    await against(saying(status, error(name)), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status, name }),
      )
    })
  })

  it('keeps what Retry-After asked for', async () => {
    await against(saying(503, error('overloaded'), { 'Retry-After': '120' }), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({
          error: 'transport',
          reason: 'unexpected answer',
          status: 503,
          name: 'overloaded',
          retryAfterSeconds: 120,
        }),
      )
    })
  })

  it.each([
    ['a name that nobody knows', error('cnp_something')],
    ['a page of a proxy', '<html>Bad gateway</html>'],
    ['nothing', ''],
    ['another shape', '{"type":"error","error":{"name":"external"}}'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe])],
  ])('is its status alone when its body is %s', async (_, body) => {
    await against(saying(502, body), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status: 502 }),
      )
    })
  })

  it('may be a redirect, which is not followed', async () => {
    await against(saying(302, '', { Location: '/elsewhere' }), async (canopy, { targets }) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status: 302 }),
      )
      expect(targets).toEqual(['/api/usercontent/v1/tree/id/1'])
    })
  })

  it.each([
    ['a redirect', 302, undefined, 'a redirect; is the base URL right?'],
    ['a redirect with a body of a name', 308, 'external', 'a redirect; is the base URL right?'],
    ['a redirect of which a browser tells no status', 0, undefined, 'a redirect; is the base URL right?'],
    ['what is not modified', 304, undefined, '304'],
    ['another status', 500, undefined, '500'],
    ['a name', 503, 'overloaded', '503 overloaded'],
    ['a route that is none', 404, 'no such route', '404 no such route; is the base URL right?'],
  ] as const)('has a message for people: %s', (_, status, name, says) => {
    const failure = { error: 'transport', reason: 'unexpected answer', status } as const
    expect(TransportFailure.message(name === undefined ? failure : { ...failure, name })).toBe(
      `unexpected answer: ${says}`,
    )
  })
})
