import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { client } from '../src/index.js'
import { against, emptyTree, failureOf, listingOf, root, saying, through, token, visitor } from './answering.js'

const noAnswer = (cause: string) => ({ error: 'no answer', cause })

describe('a connection', () => {
  it('that is refused brings no answer, and the code says why', async () => {
    const baseUrl = await against(saying(200, ''), async (_, service) => service.baseUrl)
    expect(await failureOf(client({ baseUrl, retries: 0 }).userContentTree(visitor))).toEqual(noAnswer('ECONNREFUSED'))
  })

  it('that ends before an answer brings no answer', async () => {
    await against(
      (request) => request.socket.destroy(),
      async (canopy) => {
        expect(await failureOf(canopy.userContentTree(visitor))).toMatchObject({ error: 'no answer' })
      },
    )
  })

  it.each([
    ['a length', { 'Content-Length': '1000' }],
    ['chunks', {}],
  ])('that ends inside the body brings an incomplete answer: %s', async (_, headers) => {
    await against(
      (_request, response) => {
        response.writeHead(200, headers)
        response.write(emptyTree)
        setImmediate(() => response.destroy())
      },
      async (canopy) => {
        expect(await failureOf(canopy.userContentTree(visitor))).toEqual({ error: 'incomplete answer' })
      },
    )
  })
})

describe('a fetch of the caller', () => {
  const named = (name: string): Error => Object.assign(new Error('x'), { name })
  const coded = (code: unknown): Error => new Error('x', { cause: { code } })

  it.each([
    ['a message with the token', new Error(`no route to ${token}`), 'Error'],
    ['text', 'text', 'unknown'],
    ['nothing', undefined, 'unknown'],
    ['a cause with a code', coded('UND_ERR_SOCKET'), 'UND_ERR_SOCKET'],
    ['a code of its own', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), 'ENOTFOUND'],
    ['the token as its code', coded(token), 'Error'],
    ['a code that holds the token', coded(`ECONNREFUSED ${token}`), 'Error'],
    ['the token as its name', named(token), 'unknown'],
    ['a code that is no text', coded(7), 'Error'],
    [
      'a cause that throws',
      Object.defineProperty(new Error('x'), 'cause', { get: () => expect.fail(token) }),
      'unknown',
    ],
  ])('that throws %s brings no answer, and a cause without secrets', async (_, thrown, cause) => {
    const throwing = through(() => {
      throw thrown
    })
    expect(await failureOf(throwing.storageTree({ token, path: '/' }))).toEqual(noAnswer(cause))
  })

  it('that repeats the trigger id as a word brings no cause', async () => {
    const throwing = through(() => Promise.reject(named('Sesame')))
    expect(await failureOf(throwing.triggerPeek({ id: 'Sesame' }))).toEqual(noAnswer('unknown'))
  })

  const fail = (): never => {
    throw new Error(`of ${token}`)
  }
  const response = { status: 200, headers: new Headers(), arrayBuffer: async () => new ArrayBuffer(0) }

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['text', 'text'],
    ['a number', 200],
    ['nothing of a response', {}],
    ['a status that is text', { ...response, status: '200' }],
    ['a status that is no number', { ...response, status: Number.NaN }],
    ['a status that throws', Object.defineProperty({ ...response }, 'status', { get: fail })],
  ])('that gives %s brings no answer', async (_, given) => {
    expect(await failureOf(through(async () => given).userContentTree(visitor))).toMatchObject({ error: 'no answer' })
  })

  it('that gives headers that cannot be read brings an incomplete answer', async () => {
    const broken = async () => ({ ...response, headers: {} })
    expect(await failureOf(through(broken).userContentTree(visitor))).toEqual({ error: 'incomplete answer' })
  })

  it('may give headers in a Map, which has no null', async () => {
    const arrayBuffer = async () => new TextEncoder().encode(listingOf()).buffer
    const given = async () => ({ ...response, headers: new Map(), arrayBuffer })
    expect(await through(given).userContentDirItems(visitor)).toEqual({ items: [], next: undefined })
  })

  it('may give a Response without a promise', async () => {
    expect(await through(() => new Response(emptyTree)).userContentTree(visitor)).toMatchObject(root)
  })

  it('may give a Response of another realm', async () => {
    const foreign: unknown = runInNewContext(
      '({ status: 200, headers: { get: () => null }, arrayBuffer: async () => bytes })',
      { bytes: new TextEncoder().encode(emptyTree).buffer },
    )
    expect(await through(async () => foreign).userContentTree(visitor)).toMatchObject(root)
  })
})

describe('a request', () => {
  it('asks for JSON without credentials, referrer or redirects, under the path of the base URL', async () => {
    const inits: Array<RequestInit> = []
    const canopy = client({
      baseUrl: 'http://127.0.0.1/base/',
      fetch: async (url, init) => {
        expect(url).toBe('http://127.0.0.1/base/api/usercontent/v1/tree/id/1')
        inits.push(init)
        return new Response(emptyTree)
      },
    })
    expect(await canopy.userContentTree(visitor)).toMatchObject(root)
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
})
