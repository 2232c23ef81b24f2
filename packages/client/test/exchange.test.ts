import { runInNewContext } from 'node:vm'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { client, Input, TransportFailure } from '../src/index.js'
import { against, emptyTree, error, root, saying, token, user } from './answering.js'
import { right } from './right.js'

const visitorTree = { user, path: root }

describe('a connection', () => {
  it('that is refused is a network failure with its code', async () => {
    const baseUrl = await against(saying(200, ''), async (_, service) => service.baseUrl)
    expect(await client({ baseUrl, retries: 0 }).userContentTree(visitorTree)()).toEqual(
      E.left({ error: 'transport', reason: 'network', code: 'ECONNREFUSED' }),
    )
  })

  it('that ends before an answer is a network failure', async () => {
    await against(
      (request) => request.socket.destroy(),
      async (canopy) => {
        expect(await canopy.userContentTree(visitorTree)()).toMatchObject({
          left: { error: 'transport', reason: 'network' },
        })
      },
    )
  })

  it.each([
    ['a length that was told', { 'Content-Length': '1000' }],
    ['chunks', {}],
  ])('that ends inside the body is a body cut off: %s', async (_, headers) => {
    await against(
      (_request, response) => {
        response.writeHead(200, headers)
        response.write(emptyTree)
        setImmediate(() => response.destroy())
      },
      async (canopy) => {
        expect(await canopy.userContentTree(visitorTree)()).toEqual(
          E.left({ error: 'transport', reason: 'cut off', status: 200 }),
        )
      },
    )
  })

  it('through a fetch that throws is a network failure, whatever it throws', async () => {
    const baseUrl = right(Input.baseUrl('http://127.0.0.1'))
    const throwing = (thrown: unknown) =>
      client({
        baseUrl,
        retries: 0,
        fetch: () => {
          throw thrown
        },
      })
    for (const thrown of [
      new Error(`no route to ${token}`),
      'text',
      undefined,
      new Error('x', { cause: { code: token } }),
      new Error('x', { cause: { code: `ECONNREFUSED ${token}` } }),
    ]) {
      expect(await throwing(thrown).storageTree({ token, path: root })()).toEqual(
        E.left({ error: 'transport', reason: 'network' }),
      )
    }
  })
})

describe('a fetch of the caller', () => {
  const baseUrl = right(Input.baseUrl('http://127.0.0.1'))
  const through = (fetch: () => unknown) => client({ baseUrl, retries: 0, fetch: fetch as () => Promise<Response> })

  it.each([undefined, null, 'text', 200, {}, { status: 200, arrayBuffer: async () => new ArrayBuffer(0) }])(
    'that gives %s is a network failure',
    async (given) => {
      expect(await through(async () => given).userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'network' }),
      )
    },
  )

  it('that gives headers that cannot be read is an answer cut off', async () => {
    const broken = { status: 200, headers: {}, arrayBuffer: async () => new ArrayBuffer(0) }
    expect(await through(async () => broken).userContentTree(visitorTree)()).toEqual(
      E.left({ error: 'transport', reason: 'cut off', status: 200 }),
    )
  })

  it('may give headers in a Map, which has no null', async () => {
    const body = new TextEncoder().encode('{"type":"dir content","content":[]}').buffer
    const answer = { status: 200, headers: new Map(), arrayBuffer: async () => body }
    expect(E.isRight(await through(async () => answer).userContentDirItems(visitorTree)())).toBe(true)
  })

  it('may give a Response without a promise', async () => {
    const given = () => new Response(emptyTree)
    expect(E.isRight(await through(given).userContentTree(visitorTree)())).toBe(true)
  })

  it('may give a promise of another make, whose then gives nothing', async () => {
    const given = () =>
      Object.create(null, {
        ['then' as string]: {
          value: (resolve: (response: Response) => void) => {
            resolve(new Response(emptyTree))
          },
        },
      })
    expect(E.isRight(await through(given).userContentTree(visitorTree)())).toBe(true)
  })

  it('may give a Response of another realm', async () => {
    const foreign: unknown = runInNewContext(
      '({ status: 200, headers: { get: () => null }, arrayBuffer: async () => bytes })',
      { bytes: new TextEncoder().encode(emptyTree).buffer },
    )
    expect(E.isRight(await through(async () => foreign).userContentTree(visitorTree)())).toBe(true)
  })
})

describe('a request', () => {
  it('asks for JSON without credentials, referrer or redirects', async () => {
    const inits: Array<RequestInit> = []
    const canopy = client({
      baseUrl: right(Input.baseUrl('http://127.0.0.1/base/')),
      fetch: async (url, init) => {
        expect(url).toBe('http://127.0.0.1/base/api/usercontent/v1/tree/id/1')
        inits.push(init)
        return new Response(emptyTree)
      },
    })
    expect(E.isRight(await canopy.userContentTree(visitorTree)())).toBe(true)
    expect(inits).toMatchObject([
      {
        method: 'GET',
        headers: { Accept: 'application/json' },
        credentials: 'omit',
        redirect: 'manual',
        referrerPolicy: 'no-referrer',
      },
    ])
  })

  it('is sent anew each time its TaskEither is run, and not before', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      const program = canopy.userContentTree(visitorTree)
      expect(targets).toEqual([])
      await program()
      await program()
      expect(targets.length).toBe(2)
    })
  })

  it('with bounds that are none is refused by the service, and the message says what they are', async () => {
    await against(saying(400, error('bad request')), async (canopy) => {
      const result = await canopy.userContentTree({ ...visitorTree, depth: -1 })()
      expect(E.isLeft(result) && result.left.error === 'transport' && TransportFailure.message(result.left)).toBe(
        'unexpected answer: 400 bad request; depth is a whole number from 0, limit one from 1',
      )
    })
  })
})
