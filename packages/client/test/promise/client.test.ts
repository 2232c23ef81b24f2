import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  type CallOptions,
  CanopyError,
  type Client,
  type ClientOptions,
  client,
  type Fetch,
  isLosslessNumber,
} from '../../src/promise/index.js'
import { type Answering, answering, emptyTree, error, inTurn, item, listingOf, saying, token } from '../answering.js'

const against = async <A>(
  listener: RequestListener,
  use: (canopy: Client, service: Answering) => Promise<A>,
  options: Omit<ClientOptions, 'baseUrl'> = {},
): Promise<A> => {
  const service = await answering(listener)
  try {
    return await use(client({ baseUrl: service.baseUrl, retries: 0, ...options }), service)
  } finally {
    await service.stop()
  }
}

const thrownBy = async (promise: Promise<unknown>): Promise<CanopyError> => {
  const thrown: unknown = await promise.then(
    () => 'nothing',
    (reason: unknown) => reason,
  )
  if (!(thrown instanceof CanopyError)) throw new Error(`expected a CanopyError, got ${String(thrown)}`)
  return thrown
}

const baseUrl = 'http://127.0.0.1'

const firstPage = saying(200, listingOf(item('a'), item('b')), { Link: '<?limit=2&after=b>; rel="next"' })
const lastPage = saying(200, listingOf(item('c')))

const fail = (): never => {
  throw new Error(`of ${token}`)
}

/** The same with a field that throws when it is read. */
const unreadable = <A extends object>(given: A, field: string): A =>
  Object.defineProperty({ ...given }, field, { get: fail, enumerable: true })

const answer = {
  status: 200,
  headers: new Headers(),
  arrayBuffer: async () => new TextEncoder().encode(emptyTree).buffer,
}

const oddFetches: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
  ['a status that is text', async () => ({ ...answer, status: '200' })],
  ['a status that is undefined', async () => ({ ...answer, status: undefined })],
  ['a status that is no number', async () => ({ ...answer, status: Number.NaN })],
  ['a status that throws', async () => unreadable(answer, 'status')],
  ['an answer that throws when it is looked at', async () => new Proxy(answer, { has: fail })],
  ['an error whose cause throws', () => Promise.reject(Object.defineProperty(new Error('x'), 'cause', { get: fail }))],
  ['an error whose code throws', () => Promise.reject(new Error('x', { cause: unreadable({}, 'code') }))],
]

const pagesIn = async (source: AsyncIterable<unknown>): Promise<number> => {
  let pages = 0
  for await (const _ of source) pages += 1
  return pages
}

const namesOf = async (source: AsyncIterable<{ readonly name: string }>): Promise<ReadonlyArray<string>> => {
  const names: Array<string> = []
  for await (const { name } of source) names.push(name)
  return names
}

describe('the promise of each operation', () => {
  it('resolves to a tree', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      const visibility = { inherited: false, visibility: 'public' }
      const tree = { type: 'dir', name: '', visibility, content: [] }
      expect(await canopy.storageTree({ token, path: '/a b', depth: 1 })).toEqual(tree)
      expect(await canopy.userContentTree({ user: 7n, path: '/' })).toEqual(tree)
      expect(targets).toEqual([`/api/storage/v1/tree/${token}/a%20b?depth=1`, '/api/usercontent/v1/tree/id/7'])
    })
  })

  it('resolves to a page, and the page asks for the next one', async () => {
    await against(inTurn(firstPage, lastPage), async (canopy, { targets }) => {
      const page = await canopy.storageDirItems({ token, path: '/', limit: 2 })
      expect(page.items.map(({ name }) => name)).toEqual(['a', 'b'])
      expect(page.items[0]).toMatchObject({ size: 1n, last_modified: 1n, is_file: true })
      const next = await page.next?.()
      expect(next?.items.map(({ name }) => name)).toEqual(['c'])
      expect(next).not.toHaveProperty('next')
      expect(targets.at(-1)).toBe(`/api/storage/v1/diritems/${token}?limit=2&after=b`)
    })
  })

  it('resolves to a page of user content', async () => {
    await against(lastPage, async (canopy, { targets }) => {
      const page = await canopy.userContentDirItems({ user: '7', path: '/', after: 'b' })
      expect(page.items.map(({ name }) => name)).toEqual(['c'])
      expect(targets).toEqual(['/api/usercontent/v1/diritems/id/7?after=b'])
    })
  })

  it('resolves to a trigger, to the last digit', async () => {
    await against(saying(200, '{"type":"trigger peak","value":{"type":"x","n":1.00}}'), async (canopy, { targets }) => {
      const trigger = await canopy.triggerPeek({ id: 'tür auf' })
      const { n } = trigger.value
      expect([trigger.type, trigger.json, isLosslessNumber(n) && n.value]).toEqual([
        'x',
        '{"type":"x","n":1.00}',
        '1.00',
      ])
      expect(targets).toEqual(['/api/triggers/v1/peek/t%C3%BCr%20auf'])
    })
  })
})

describe('what is `undefined`', () => {
  const options: Omit<ClientOptions, 'baseUrl'> = {
    fetch: undefined,
    retries: undefined,
    backOffMs: undefined,
    timeoutMs: undefined,
  }
  const call: CallOptions = { signal: undefined, timeoutMs: undefined }
  const bounds = { limit: undefined, after: undefined }

  it('is as good as left out: of the options of a client and of a call, and of bounds', async () => {
    const tree = saying(200, emptyTree)
    const listener = inTurn(tree, tree, lastPage, lastPage, lastPage)
    const used = async (canopy: Client, { targets }: Answering) => {
      await canopy.storageTree({ token, path: '/', depth: undefined }, call)
      await canopy.userContentTree({ user: 7, path: '/', depth: undefined }, call)
      await canopy.storageDirItems({ token, path: '/', ...bounds }, call)
      await canopy.userContentDirItems({ user: 7, path: '/', ...bounds }, call)
      await namesOf(canopy.userContentItems({ user: 7, path: '/', ...bounds }, call))
      expect(targets).toEqual([
        `/api/storage/v1/tree/${token}`,
        '/api/usercontent/v1/tree/id/7',
        `/api/storage/v1/diritems/${token}`,
        '/api/usercontent/v1/diritems/id/7',
        '/api/usercontent/v1/diritems/id/7',
      ])
    }
    await against(listener, used, options)
  })

  it('compiles where the signal of a caller may be missing', async () => {
    await against(saying(200, emptyTree), async (canopy) => {
      const root = (of: string, signal?: AbortSignal) => canopy.storageTree({ token: of, path: '/' }, { signal })
      expect(await root(token)).toMatchObject({ type: 'dir' })
      expect(await thrownBy(root(token, AbortSignal.abort()))).toMatchObject({ transport: { reason: 'aborted' } })
    })
  })
})

describe('a loop over a listing', () => {
  it('yields the items of all pages', async () => {
    await against(inTurn(firstPage, lastPage, firstPage, lastPage), async (canopy) => {
      expect(await namesOf(canopy.storageItems({ token, path: '/', limit: 2 }))).toEqual(['a', 'b', 'c'])
      expect(await namesOf(canopy.userContentItems({ user: 1, path: '/', limit: 2 }))).toEqual(['a', 'b', 'c'])
    })
  })

  it('yields page after page', async () => {
    await against(inTurn(firstPage, lastPage, firstPage, lastPage), async (canopy) => {
      const sizes: Array<number> = []
      for await (const { items } of canopy.storagePages({ token, path: '/', limit: 2 })) sizes.push(items.length)
      for await (const { items } of canopy.userContentPages({ user: 1, path: '/', limit: 2 })) sizes.push(items.length)
      expect(sizes).toEqual([2, 1, 2, 1])
    })
  })

  it('throws at the page that fails, after the items before it', async () => {
    await against(inTurn(firstPage, saying(502, error('external'))), async (canopy) => {
      const seen: Array<string> = []
      const looped = (async () => {
        for await (const { name } of canopy.userContentItems({ user: 1, path: '/', limit: 2 })) seen.push(name)
      })()
      expect((await thrownBy(looped)).error).toBe('external')
      expect(seen).toEqual(['a', 'b'])
    })
  })

  it.each(['storageItems', 'userContentItems'] as const)(
    'rejects between two items once its signal is aborted: %s',
    async (operation) => {
      const controller = new AbortController()
      await against(inTurn(firstPage, lastPage), async (canopy, { targets }) => {
        const seen: Array<string> = []
        const looped = (async () => {
          const request = { token, user: 1, path: '/', limit: 2 }
          for await (const { name } of canopy[operation](request, { signal: controller.signal })) {
            seen.push(name)
            controller.abort()
          }
        })()
        expect(await thrownBy(looped)).toMatchObject({ error: 'transport', transport: { reason: 'aborted' } })
        expect(seen).toEqual(['a'])
        expect(targets.length).toBe(1)
      })
    },
  )

  it('asks for nothing when it is left', async () => {
    await against(firstPage, async (canopy, { targets }) => {
      for await (const { name } of canopy.userContentItems({ user: 1, path: '/', limit: 2 })) {
        expect(name).toBe('a')
        break
      }
      expect(targets.length).toBe(1)
    })
  })
})

describe('a rejection', () => {
  it('is a CanopyError with the name of the failure and its status', async () => {
    await against(saying(403, error('not verified')), async (canopy) => {
      const thrown = await thrownBy(canopy.storageTree({ token, path: '/' }))
      expect(thrown).toBeInstanceOf(Error)
      expect(thrown).toMatchObject({
        name: 'CanopyError',
        error: 'not verified',
        message: 'not verified',
        status: 403,
        transport: undefined,
      })
    })
  })

  it('says why there is no answer of the operation', async () => {
    await against(saying(503, error('overloaded'), { 'Retry-After': '9' }), async (canopy) => {
      expect(await thrownBy(canopy.storageTree({ token, path: '/' }))).toMatchObject({
        error: 'transport',
        message: 'unexpected answer: 503 overloaded',
        status: 503,
        transport: { reason: 'unexpected answer', name: 'overloaded', retryAfterSeconds: 9 },
      })
    })
  })

  it('has no status where there was no answer', async () => {
    await against(
      () => {},
      async (canopy) => {
        expect(await thrownBy(canopy.storageTree({ token, path: '/' }, { timeoutMs: 20 }))).toMatchObject({
          error: 'transport',
          message: 'no whole answer came within 20 ms',
          status: undefined,
          transport: { reason: 'timeout' },
        })
        expect(await thrownBy(canopy.storageTree({ token, path: '/' }, { signal: AbortSignal.abort() }))).toMatchObject(
          { transport: { reason: 'aborted' } },
        )
      },
    )
  })

  it('has no status where a browser does not tell it: at a redirect', async () => {
    const canopy = client({ baseUrl, fetch: async () => Response.error() })
    expect(await thrownBy(canopy.storageTree({ token, path: '/' }))).toMatchObject({
      error: 'transport',
      message: 'unexpected answer: a redirect; is the base URL right?',
      status: undefined,
      transport: { reason: 'unexpected answer', status: 0 },
    })
  })

  it('says what is malformed and what to do, before anything is asked', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      const malformed = [
        [canopy.storageTree({ token: 'cnp_x', path: '/' }), 'the access token must be "cnp_"'],
        [canopy.storageTree({ token, path: 'photos' }), 'the path must be "/" or "/name/name"'],
        [canopy.userContentTree({ user: 'me', path: '/' }), 'the user id must be a whole number'],
        [canopy.userContentDirItems({ user: 1, path: '/', after: '' }), 'the name must be 1 to 255 bytes'],
        [canopy.triggerPeek({ id: '..' }), 'the trigger id must be 1 to 255 bytes'],
        [namesOf(canopy.storageItems({ token, path: '//' })), 'the path must be'],
      ] as const
      for (const [promise, says] of malformed) {
        const thrown = await thrownBy(promise)
        expect(thrown.error).toBe('malformed input')
        expect(thrown.message).toContain(says)
      }
      expect(targets).toEqual([])
    })
  })

  it('of a base URL comes when the client is made', () => {
    expect(() => client({ baseUrl: 'files.example' })).toThrow(CanopyError)
    expect(() => client({ baseUrl: 'files.example' })).toThrow('the base URL must be a whole URL: write it like')
  })

  it.each([
    ['timeoutMs', Number.NaN, 'timeoutMs must be a number of milliseconds above 0'],
    ['timeoutMs', 0, 'timeoutMs must be a number of milliseconds above 0'],
    ['timeoutMs', '1000', 'timeoutMs must be a number of milliseconds above 0'],
    ['retries', -1, 'retries must be a number of attempts from 0'],
    ['retries', Number.NaN, 'retries must be a number of attempts from 0'],
    ['backOffMs', -1, 'backOffMs must be a number of milliseconds from 0'],
    ['backOffMs', null, 'backOffMs must be a number of milliseconds from 0'],
    ['fetch', 5, 'fetch must be a function'],
  ])('of an option comes when the client is made: %s: %s', (option, given, says) => {
    expect(() => client({ baseUrl, [option]: given })).toThrow(CanopyError)
    expect(() => client({ baseUrl, [option]: given })).toThrow(says)
  })

  it.each([undefined, null, 'http://127.0.0.1'])('of no options at all comes when the client is made: %s', (given) => {
    // As in a program without types.
    expect(() => client(given as unknown as ClientOptions)).toThrow(CanopyError)
    expect(() => client(given as unknown as ClientOptions)).toThrow('the options must be an object, such as')
  })

  it('comes for no option that is left out, and none without an end', () => {
    const endless = { timeoutMs: Number.POSITIVE_INFINITY, retries: Number.POSITIVE_INFINITY, backOffMs: 0 }
    for (const options of [{}, { timeoutMs: undefined, retries: undefined } as object, endless]) {
      expect(() => client({ baseUrl, ...options })).not.toThrow()
    }
  })

  it.each([
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be a number of milliseconds above 0'],
    [{ timeoutMs: -1 }, 'timeoutMs must be a number of milliseconds above 0'],
    [{ signal: new AbortController() }, 'signal must be the signal of an AbortController'],
  ])('of the options of a call comes with its promise, before anything is asked: %o', async (call, says) => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      const options = call as CallOptions
      for (const promise of [
        canopy.storageTree({ token, path: '/' }, options),
        canopy.triggerPeek({ id: 'x' }, options),
        namesOf(canopy.userContentItems({ user: 1, path: '/' }, options)),
      ]) {
        expect(await thrownBy(promise)).toMatchObject({ error: 'malformed input', message: says })
      }
      expect(targets).toEqual([])
    })
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', '1#', '1&after=b', null])(
    'of a limit comes before anything is asked: %s',
    async (given) => {
      await against(saying(200, listingOf()), async (canopy, { targets }) => {
        const limit = given as number
        for (const promise of [
          canopy.storageDirItems({ token, path: '/', limit }),
          canopy.userContentDirItems({ user: 1, path: '/', limit }),
          namesOf(canopy.storageItems({ token, path: '/', limit })),
          pagesIn(canopy.userContentPages({ user: 1, path: '/', limit })),
        ]) {
          expect(await thrownBy(promise)).toMatchObject({
            error: 'malformed input',
            message: 'limit must be a whole number from 1, below 2^53',
          })
        }
        expect(targets).toEqual([])
      })
    },
  )

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '0', '1#', null])(
    'of a depth comes before anything is asked: %s',
    async (given) => {
      await against(saying(200, emptyTree), async (canopy, { targets }) => {
        const depth = given as number
        for (const promise of [
          canopy.storageTree({ token, path: '/', depth }),
          canopy.userContentTree({ user: 1, path: '/', depth }),
        ]) {
          expect(await thrownBy(promise)).toMatchObject({
            error: 'malformed input',
            message: 'depth must be a whole number from 0, below 2^53',
          })
        }
        expect(targets).toEqual([])
      })
    },
  )

  it('comes for no bounds that are the least or the most', async () => {
    await against(inTurn(saying(200, emptyTree), saying(200, emptyTree), lastPage), async (canopy, { targets }) => {
      await canopy.storageTree({ token, path: '/', depth: 0 })
      await canopy.storageTree({ token, path: '/', depth: Number.MAX_SAFE_INTEGER })
      await canopy.userContentDirItems({ user: 1, path: '/', limit: 1 })
      expect(targets.map((target) => target.split('?')[1])).toEqual(['depth=0', 'depth=9007199254740991', 'limit=1'])
    })
  })

  it.each(['baseUrl', 'timeoutMs', 'retries', 'backOffMs', 'fetch'])(
    'of an option that throws when it is read comes when the client is made: %s',
    (option) => {
      expect(() => client(unreadable({ baseUrl }, option))).toThrow(CanopyError)
      expect(() => client(unreadable({ baseUrl }, option))).toThrow('the options must be an object, such as')
    },
  )

  it.each(['signal', 'timeoutMs'])(
    'of an option of a call that throws when it is read comes with its promise: %s',
    async (option) => {
      await against(saying(200, emptyTree), async (canopy, { targets }) => {
        const options = unreadable<CallOptions>({}, option)
        for (const ask of [
          () => canopy.storageTree({ token, path: '/' }, options),
          () => canopy.userContentDirItems({ user: 1, path: '/' }, options),
          () => canopy.triggerPeek({ id: 'x' }, options),
          () => namesOf(canopy.storageItems({ token, path: '/' }, options)),
          () => pagesIn(canopy.userContentPages({ user: 1, path: '/' }, options)),
        ]) {
          expect(await thrownBy(ask())).toMatchObject({ error: 'malformed input' })
        }
        expect(targets).toEqual([])
      })
    },
  )

  it('of a signal that cannot be listened to comes before anything is asked', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      // As in a program without types.
      const signal = { aborted: false, addEventListener: null, removeEventListener: null } as unknown as AbortSignal
      expect(await thrownBy(canopy.storageTree({ token, path: '/' }, { signal }))).toMatchObject({
        error: 'malformed input',
        message: 'signal must be the signal of an AbortController',
      })
      expect(targets).toEqual([])
    })
  })

  it.each(oddFetches)('through a fetch that gives %s is of transport', async (_, fetch) => {
    // As in a program without types.
    const canopy = client({ baseUrl, retries: 0, fetch: fetch as unknown as Fetch })
    for (const promise of [
      canopy.storageTree({ token, path: '/' }),
      namesOf(canopy.userContentItems({ user: 1, path: '/' })),
    ]) {
      expect(await thrownBy(promise)).toMatchObject({
        error: 'transport',
        status: undefined,
        transport: { reason: 'network' },
      })
    }
  })

  it('is what a program without types gets for a request that is none: nothing is thrown at once', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      const untyped = canopy as unknown as Readonly<Record<keyof Client, (request: unknown) => never>>
      for (const request of [undefined, null]) {
        for (const promise of [
          untyped.storageTree(request),
          untyped.userContentTree(request),
          untyped.storageDirItems(request),
          untyped.userContentDirItems(request),
          untyped.triggerPeek(request),
          namesOf(untyped.storageItems(request)),
          namesOf(untyped.userContentPages(request)),
        ]) {
          const thrown = await thrownBy(promise)
          expect([thrown.error, thrown.message]).toEqual([
            'malformed input',
            'the request must be an object, such as { user: 1, path: "/" }',
          ])
        }
      }
      expect((await thrownBy(untyped.storageTree('/'))).error).toBe('malformed input')
      expect(targets).toEqual([])
    })
  })

  it('comes for no options that are null', async () => {
    await against(lastPage, async (canopy) => {
      // As in a program without types.
      const nothing = null as unknown as CallOptions
      expect(await namesOf(canopy.storageItems({ token, path: '/' }, nothing))).toEqual(['c'])
      const { items } = await canopy.userContentDirItems({ user: 1, path: '/' }, nothing)
      expect(items.length).toBe(1)
    })
  })
})
