import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { type CallOptions, client } from '../src/index.js'
import { retrying } from '../src/retrying.js'
import { network } from '../src/TransportFailure.js'
import { against, answering, emptyTree, error, inTurn, listingOf, root, saying, user } from './answering.js'

const visitorTree = { user, path: root }
const patient = { retries: 2, backOffMs: 1 }

describe('a call is asked again', () => {
  it.each([
    ['on 503', saying(503, error('overloaded'))],
    ['on 429, after what Retry-After asks', saying(429, error('too many requests'), { 'Retry-After': '0' })],
    ['on external', saying(502, error('external'))],
    ['on 504 of a proxy', saying(504, '<html>')],
    [
      'when the connection breaks before an answer',
      (request: { readonly socket: { readonly destroy: () => void } }) => request.socket.destroy(),
    ],
  ])('%s', async (_, first) => {
    await against(
      inTurn(first, saying(200, emptyTree)),
      async (canopy, { targets }) => {
        expect(E.isRight(await canopy.userContentTree(visitorTree)())).toBe(true)
        expect(targets).toEqual(['/api/usercontent/v1/tree/id/1', '/api/usercontent/v1/tree/id/1'])
      },
      patient,
    )
  })

  it('when the body was cut off', async () => {
    await against(
      inTurn(
        (_, response) => {
          response.writeHead(200)
          response.write(emptyTree)
          setImmediate(() => response.destroy())
        },
        saying(200, emptyTree),
      ),
      async (canopy, { targets }) => {
        expect(E.isRight(await canopy.userContentTree(visitorTree)())).toBe(true)
        expect(targets.length).toBe(2)
      },
      patient,
    )
  })

  it('as often as by default when it is told `undefined`, as the typed door allows everywhere', async () => {
    const busy = saying(503, error('overloaded'))
    await against(
      inTurn(busy, busy, saying(200, emptyTree)),
      async (canopy, { targets }) => {
        const call: CallOptions = { signal: undefined, timeoutMs: undefined }
        expect(E.isRight(await canopy.userContentTree({ ...visitorTree, depth: undefined }, call)())).toBe(true)
        expect(targets.length).toBe(3)
      },
      { retries: undefined, backOffMs: 1, timeoutMs: undefined, fetch: undefined },
    )
  })

  it('not longer than it was told, and then the last answer counts', async () => {
    await against(
      inTurn(saying(503, error('overloaded')), saying(503, error('overloaded')), saying(502, error('external'))),
      async (canopy, { targets }) => {
        expect(await canopy.userContentDirItems(visitorTree)()).toEqual(E.left({ error: 'external' }))
        expect(targets.length).toBe(3)
      },
      patient,
    )
  })

  it('with nothing left of the wait before it', async () => {
    const { signal } = new AbortController()
    const listening = new Set<unknown>()
    const watched = new Proxy(signal, {
      get: (target, name) => {
        if (name === 'addEventListener') return (_: string, listener: unknown) => listening.add(listener)
        if (name === 'removeEventListener') return (_: string, listener: unknown) => listening.delete(listener)
        return Reflect.get(target, name, target)
      },
    })
    const heldWhenAsked: Array<number> = []
    const running = { signal: watched, remainingMs: () => Number.POSITIVE_INFINITY }
    await retrying(
      patient,
      running,
    )(async () => {
      heldWhenAsked.push(listening.size)
      return E.left(network())
    })()
    expect(heldWhenAsked).toEqual([0, 0, 0])
  })

  it('twice when it was told nothing', async () => {
    const service = await answering(saying(503, error('overloaded')))
    await client({ baseUrl: service.baseUrl, backOffMs: 1 }).userContentTree(visitorTree)()
    await service.stop()
    expect(service.targets.length).toBe(3)
  })
})

describe('a call is not asked again', () => {
  it.each([
    [200, listingOf()],
    [400, error('bad request')],
    [403, error('permission denied')],
    [404, error('file not found')],
    [409, error('type mismatch')],
    [500, ''],
  ])('on %s', async (status, body) => {
    await against(
      saying(status, body),
      async (canopy, { targets }) => {
        await canopy.userContentTree(visitorTree)()
        expect(targets.length).toBe(1)
      },
      patient,
    )
  })

  it('when nobody wants it', async () => {
    await against(
      saying(503, error('overloaded')),
      async (canopy, { targets }) => {
        await canopy.userContentTree(visitorTree)()
        expect(targets.length).toBe(1)
      },
      { retries: 0 },
    )
  })

  it('after a wait that is longer than timers know: the answer counts at once', async () => {
    const { signal } = new AbortController()
    const asked: Array<string> = []
    const inAThousandYears = E.right({ status: 503, retryAfter: '31556952000', link: null, bytes: new ArrayBuffer(0) })
    const running = { signal, remainingMs: () => Number.POSITIVE_INFINITY }
    const result = retrying(
      patient,
      running,
    )(async () => {
      asked.push('again')
      return inAThousandYears
    })()
    expect([await result, asked]).toEqual([inAThousandYears, ['again']])
  }, 5000)

  it('once its call was aborted, and the wait ends with it', async () => {
    const controller = new AbortController()
    const asked: Array<string> = []
    const lost = E.left(network())
    const running = { signal: controller.signal, remainingMs: () => Number.POSITIVE_INFINITY }
    const result = retrying(
      { retries: 3, backOffMs: 1_000_000 },
      running,
    )(async () => {
      asked.push('again')
      setImmediate(() => controller.abort())
      return lost
    })()
    expect([await result, asked]).toEqual([lost, ['again']])
  }, 5000)
})
