import { describe, expect, it } from 'vitest'
import { type CallOptions, CanopyError, type Client, type ClientOptions, client } from '../src/index.js'
import {
  type Answering,
  against,
  collected,
  emptyTree,
  failureOf,
  inTurn,
  item,
  listingOf,
  saying,
  token,
  visitor,
} from './answering.js'

const baseUrl = 'http://127.0.0.1'
const listing = saying(200, listingOf(item('c')))
const visibility = { inherited: false, visibility: 'public' }
const trigger = '{"type":"trigger peak","value":{"type":"x","n":1.00}}'

const malformed = (message: string) => ({ error: 'malformed input', message })

/** The same with a field that throws when it is read. */
const unreadable = <A extends object>(given: A, field: string): A =>
  Object.defineProperty({ ...given }, field, {
    get: () => {
      throw new Error(`of ${token}`)
    },
    enumerable: true,
  })

/** Each operation and loop, with options for the call. */
const eachOf = (canopy: Client, call?: CallOptions): ReadonlyArray<Promise<unknown>> => [
  canopy.storageTree({ token, path: '/' }, call),
  canopy.userContentTree(visitor, call),
  canopy.storageDirItems({ token, path: '/' }, call),
  canopy.userContentDirItems(visitor, call),
  canopy.triggerPeek({ id: 'x' }, call),
  collected(canopy.storageItems({ token, path: '/' }, call)),
  collected(canopy.userContentItems(visitor, call)),
  collected(canopy.storagePages({ token, path: '/' }, call)),
  collected(canopy.userContentPages(visitor, call)),
]

describe('each operation', () => {
  it('resolves to a tree', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      const tree = { type: 'dir', name: '', visibility, content: [] }
      expect(await canopy.storageTree({ token, path: '/a b', depth: 1 })).toEqual(tree)
      expect(await canopy.userContentTree({ user: 7n, path: '/' })).toEqual(tree)
      expect(targets).toEqual([`/api/storage/v1/tree/${token}/a%20b?depth=1`, '/api/usercontent/v1/tree/id/7'])
    })
  })

  it('resolves to a page', async () => {
    await against(listing, async (canopy, { targets }) => {
      const page = await canopy.userContentDirItems({ user: '7', path: '/', after: 'b' })
      expect(page).toMatchObject({
        items: [{ name: 'c', size: 1n, last_modified: 1n, is_file: true }],
        next: undefined,
      })
      expect(targets).toEqual(['/api/usercontent/v1/diritems/id/7?after=b'])
    })
  })

  it('resolves to a trigger', async () => {
    await against(saying(200, trigger), async (canopy, { targets }) => {
      expect(await canopy.triggerPeek({ id: 'tür auf' })).toEqual({
        type: 'x',
        json: '{"type":"x","n":1.00}',
        value: { type: 'x', n: 1 },
      })
      expect(targets).toEqual(['/api/triggers/v1/peek/t%C3%BCr%20auf'])
    })
  })
})

describe('what is `undefined`', () => {
  it('means the same as a missing option or bound', async () => {
    const options: Omit<ClientOptions, 'baseUrl'> = {
      fetch: undefined,
      retries: undefined,
      backOffMs: undefined,
      timeoutMs: undefined,
    }
    const call: CallOptions = { signal: undefined, timeoutMs: undefined }
    const bounds = { limit: undefined, after: undefined }
    const tree = saying(200, emptyTree)
    const used = async (canopy: Client, { targets }: Answering) => {
      await canopy.storageTree({ token, path: '/', depth: undefined }, call)
      await canopy.userContentTree({ user: 7, path: '/', depth: undefined }, call)
      await canopy.storageDirItems({ token, path: '/', ...bounds }, call)
      await collected(canopy.userContentItems({ user: 7, path: '/', ...bounds }, call))
      expect(targets).toEqual([
        `/api/storage/v1/tree/${token}`,
        '/api/usercontent/v1/tree/id/7',
        `/api/storage/v1/diritems/${token}`,
        '/api/usercontent/v1/diritems/id/7',
      ])
    }
    await against(inTurn(tree, tree, listing), used, options)
  })

  it('may be the signal of a caller', async () => {
    await against(saying(200, emptyTree), async (canopy) => {
      const root = (signal?: AbortSignal) => canopy.storageTree({ token, path: '/' }, { signal })
      expect(await root()).toMatchObject({ type: 'dir' })
      expect(await failureOf(root(AbortSignal.abort()))).toEqual({ error: 'aborted' })
    })
  })
})

describe('malformed input', () => {
  it('rejects before anything is sent, and says what to write', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      const calls = [
        [canopy.storageTree({ token: 'cnp_x', path: '/' }), 'the access token must be "cnp_"'],
        [canopy.storageTree({ token, path: 'photos' }), 'the path must be "/" or "/name/name"'],
        [canopy.userContentTree({ user: 'me', path: '/' }), 'the user id must be a whole number'],
        [canopy.userContentDirItems({ user: 1, path: '/', after: '' }), 'the name must be 1 to 255 bytes'],
        [canopy.triggerPeek({ id: '..' }), 'the trigger id must be 1 to 255 bytes'],
        [collected(canopy.storageItems({ token, path: '//' })), 'the path must be'],
      ] as const
      for (const [call, says] of calls) {
        const failure = await failureOf(call)
        expect(failure.error === 'malformed input' && failure.message).toContain(says)
      }
      expect(targets).toEqual([])
    })
  })

  it('of a base URL throws when the client is made', () => {
    expect(() => client({ baseUrl: 'files.example' })).toThrow(CanopyError)
    expect(() => client({ baseUrl: 'files.example' })).toThrow('the base URL must be a whole URL: write it like')
  })

  it.each([
    ['timeoutMs', Number.NaN, 'timeoutMs must be a number of milliseconds above 0'],
    ['timeoutMs', 0, 'timeoutMs must be a number of milliseconds above 0'],
    ['timeoutMs', '1000', 'timeoutMs must be a number of milliseconds above 0'],
    ['timeoutMs', null, 'timeoutMs must be a number of milliseconds above 0'],
    ['retries', -1, 'retries must be a number of attempts from 0'],
    ['retries', Number.NaN, 'retries must be a number of attempts from 0'],
    ['backOffMs', -1, 'backOffMs must be a number of milliseconds from 0'],
    ['backOffMs', null, 'backOffMs must be a number of milliseconds from 0'],
    ['fetch', 5, 'fetch must be a function'],
  ])('of an option throws when the client is made: %s: %s', (option, given, says) => {
    expect(() => client({ baseUrl, [option]: given })).toThrow(CanopyError)
    expect(() => client({ baseUrl, [option]: given })).toThrow(says)
  })

  it.each([
    undefined,
    null,
    'http://127.0.0.1',
    unreadable({ baseUrl }, 'retries'),
    unreadable({ baseUrl }, 'baseUrl'),
  ])('of no options, or options that cannot be read, throws when the client is made: %#', (given) => {
    // As in a program without types.
    expect(() => client(given as ClientOptions)).toThrow(CanopyError)
  })

  it('is no option without an end', () => {
    const endless = { timeoutMs: Number.POSITIVE_INFINITY, retries: Number.POSITIVE_INFINITY, backOffMs: 0 }
    expect(() => client({ baseUrl, ...endless })).not.toThrow()
  })

  it.each([
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be a number of milliseconds above 0'],
    [{ timeoutMs: -1 }, 'timeoutMs must be a number of milliseconds above 0'],
    [{ signal: new AbortController() }, 'signal must be the signal of an AbortController'],
    [
      { signal: { aborted: false, addEventListener: null, removeEventListener: null } },
      'signal must be the signal of an AbortController',
    ],
    [unreadable({}, 'signal'), 'the options must be an object, such as'],
    [unreadable({}, 'timeoutMs'), 'the options must be an object, such as'],
  ])('of the options of a call rejects before anything is sent: %#', async (call, says) => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      // As in a program without types.
      for (const failure of await Promise.all(eachOf(canopy, call as CallOptions).map(failureOf)))
        expect(failure.error === 'malformed input' && failure.message).toContain(says)
      expect(targets).toEqual([])
    })
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '1', '1#', '1&after=b', null])(
    'of a limit rejects before anything is sent: %s',
    async (given) => {
      await against(saying(200, listingOf()), async (canopy, { targets }) => {
        const limit = given as number
        for (const call of [
          canopy.storageDirItems({ token, path: '/', limit }),
          canopy.userContentDirItems({ ...visitor, limit }),
          collected(canopy.storageItems({ token, path: '/', limit })),
          collected(canopy.userContentPages({ ...visitor, limit })),
        ]) {
          expect(await failureOf(call)).toEqual(malformed('limit must be a whole number from 1, below 2^53'))
        }
        expect(targets).toEqual([])
      })
    },
  )

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '0', '1#', null])(
    'of a depth rejects before anything is sent: %s',
    async (given) => {
      await against(saying(200, emptyTree), async (canopy, { targets }) => {
        const depth = given as number
        for (const call of [
          canopy.storageTree({ token, path: '/', depth }),
          canopy.userContentTree({ ...visitor, depth }),
        ])
          expect(await failureOf(call)).toEqual(malformed('depth must be a whole number from 0, below 2^53'))
        expect(targets).toEqual([])
      })
    },
  )

  it('is none of the least and the largest bounds', async () => {
    await against(inTurn(saying(200, emptyTree), saying(200, emptyTree), listing), async (canopy, { targets }) => {
      await canopy.storageTree({ token, path: '/', depth: 0 })
      await canopy.storageTree({ token, path: '/', depth: Number.MAX_SAFE_INTEGER })
      await canopy.userContentDirItems({ ...visitor, limit: 1 })
      expect(targets.map((target) => target.split('?')[1])).toEqual(['depth=0', 'depth=9007199254740991', 'limit=1'])
    })
  })

  it.each([undefined, null])('is a request that is %s: nothing is thrown at once', async (request) => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      const untyped = canopy as unknown as Readonly<Record<keyof Client, (request: unknown) => never>>
      for (const call of [
        untyped.storageTree(request),
        untyped.userContentTree(request),
        untyped.storageDirItems(request),
        untyped.userContentDirItems(request),
        untyped.triggerPeek(request),
        collected(untyped.storageItems(request)),
        collected(untyped.userContentPages(request)),
      ]) {
        expect(await failureOf(call)).toEqual(
          malformed('the request must be an object, such as { user: 1, path: "/" }'),
        )
      }
      expect(targets).toEqual([])
    })
  })

  it('is no `null` in place of the options of a call', async () => {
    await against(listing, async (canopy) => {
      // As in a program without types.
      const nothing = null as unknown as CallOptions
      expect((await collected(canopy.storageItems({ token, path: '/' }, nothing))).length).toBe(1)
      expect((await canopy.userContentDirItems(visitor, nothing)).items.length).toBe(1)
    })
  })
})
