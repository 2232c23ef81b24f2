import * as E from 'fp-ts/lib/Either.js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { client, Input } from '../src/index.js'
import { within } from '../src/within.js'
import { against, emptyTree, error, inTurn, root, saying, user } from './answering.js'
import { right } from './right.js'

const visitorTree = { user, path: root }
const aborted = E.left({ error: 'transport', reason: 'aborted' })
const timeout = (timeoutMs: number) => E.left({ error: 'transport', reason: 'timeout', timeoutMs })
const nowhere = right(Input.baseUrl('http://127.0.0.1'))

const promised = () => {
  let resolve: (value: string) => void = () => {}
  const promise = new Promise<string>((settle) => {
    resolve = settle
  })
  return { promise, resolve: (value: string) => resolve(value) }
}

describe('an AbortSignal', () => {
  it('that is aborted already ends the call before anything is asked', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      expect(await canopy.userContentTree(visitorTree, { signal: AbortSignal.abort() })()).toEqual(aborted)
      expect(targets).toEqual([])
    })
  })

  it('ends a call that waits for an answer', async () => {
    const controller = new AbortController()
    await against(
      () => controller.abort(),
      async (canopy) => {
        expect(await canopy.userContentTree(visitorTree, { signal: controller.signal })()).toEqual(aborted)
      },
    )
  })

  it('ends a call that reads a body, whoever gives it', async () => {
    const controller = new AbortController()
    const reading = client({
      baseUrl: nowhere,
      fetch: async (_, { signal }) => {
        const body = new ReadableStream({
          start: (stream) => {
            stream.enqueue(new TextEncoder().encode(emptyTree))
            setImmediate(() => controller.abort())
          },
        })
        expect(signal?.aborted).toBe(false)
        return new Response(body)
      },
    })
    expect(await reading.userContentTree(visitorTree, { signal: controller.signal })()).toEqual(aborted)
  })

  it('ends the reading of a body that comes over a socket', async () => {
    const controller = new AbortController()
    await against(
      (_, response) => {
        response.writeHead(200)
        response.write(emptyTree)
        setTimeout(() => controller.abort(), 20)
      },
      async (canopy) => {
        expect(await canopy.userContentTree(visitorTree, { signal: controller.signal })()).toEqual(aborted)
      },
    )
  })

  it('ends a call that waits to ask again', async () => {
    const controller = new AbortController()
    await against(
      (request, response) => {
        saying(503, error('overloaded'))(request, response)
        response.once('close', () => controller.abort())
      },
      async (canopy, { targets }) => {
        expect(await canopy.userContentTree(visitorTree, { signal: controller.signal })()).toEqual(aborted)
        expect(targets.length).toBe(1)
      },
      { retries: 5, backOffMs: 20_000 },
    )
  })

  it('closes the connection of the call that it ends', async () => {
    const controller = new AbortController()
    const { promise: closed, resolve } = promised()
    await against(
      ({ socket }) => {
        socket.once('close', () => resolve('closed'))
        controller.abort()
      },
      async (canopy) => {
        await canopy.userContentTree(visitorTree, { signal: controller.signal })()
        expect(await closed).toBe('closed')
      },
    )
  })

  it('ends a call through a fetch that does not listen', async () => {
    const controller = new AbortController()
    const deaf = client({
      baseUrl: nowhere,
      fetch: () => {
        setImmediate(() => controller.abort())
        return new Promise(() => {})
      },
    })
    expect(await deaf.userContentTree(visitorTree, { signal: controller.signal })()).toEqual(aborted)
  })

  it('is let go when the call has ended', async () => {
    const controller = new AbortController()
    const listening = new Set<unknown>()
    const { signal } = controller
    const watched = new Proxy(signal, {
      get: (target, name) => {
        if (name === 'addEventListener') return (_: string, listener: unknown) => listening.add(listener)
        if (name === 'removeEventListener') return (_: string, listener: unknown) => listening.delete(listener)
        return Reflect.get(target, name, target)
      },
    })
    const whileAsked: Array<number> = []
    await against(
      (_, response) => {
        whileAsked.push(listening.size)
        response.end(emptyTree)
      },
      async (canopy) => {
        expect(E.isRight(await canopy.userContentTree(visitorTree, { signal: watched })())).toBe(true)
      },
    )
    expect([...whileAsked, listening.size]).toEqual([1, 0])
  })
})

describe('an AbortSignal of many calls', () => {
  it('is listened to once, until the last of them has ended', async () => {
    const { signal } = new AbortController()
    const added: Array<string> = []
    const removed: Array<string> = []
    const watched = new Proxy(signal, {
      get: (target, name) => {
        if (name === 'addEventListener') return (type: string) => added.push(type)
        if (name === 'removeEventListener') return (type: string) => removed.push(type)
        return Reflect.get(target, name, target)
      },
    })
    await against(saying(200, emptyTree), async (canopy) => {
      const ask = canopy.userContentTree(visitorTree, { signal: watched })
      await Promise.all(Array.from({ length: 20 }, ask))
      expect([added, removed]).toEqual([['abort'], ['abort']])
      await ask()
      expect([added, removed]).toEqual([
        ['abort', 'abort'],
        ['abort', 'abort'],
      ])
    })
  })

  it('brings no warning of Node', async () => {
    const warnings: Array<string> = []
    const hear = ({ name }: Error) => warnings.push(name)
    process.on('warning', hear)
    await against(saying(200, emptyTree), async (canopy) => {
      const ask = canopy.userContentTree(visitorTree, { signal: new AbortController().signal })
      const answers = await Promise.all(Array.from({ length: 20 }, ask))
      expect(answers.filter(E.isRight).length).toBe(20)
    })
    process.off('warning', hear)
    expect(warnings).toEqual([])
  })

  it('ends all that are under way, and none that has ended', async () => {
    const controller = new AbortController()
    const { signal } = controller
    await against(
      inTurn(saying(200, emptyTree), () => {}),
      async (canopy, { targets }) => {
        const ask = canopy.userContentTree(visitorTree, { signal })
        expect(E.isRight(await ask())).toBe(true)
        const answers = Promise.all([ask(), ask(), ask()])
        await expect.poll(() => targets.length).toBe(4)
        controller.abort()
        expect(await answers).toEqual([aborted, aborted, aborted])
      },
    )
  })
})

describe('a call that has ended', () => {
  afterEach(() => void vi.useRealTimers())

  it('leaves no timer, which would keep a program from ending', async () => {
    vi.useFakeTimers()
    for (const answer of [E.right('answer'), E.left('failure')])
      expect(await within({ timeoutMs: 30_000 }, () => async () => answer)()).toBe(answer)
    await expect(within({ timeoutMs: 30_000 }, () => () => Promise.reject(new Error('thrown')))()).rejects.toThrow(
      'thrown',
    )
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a timeout', () => {
  afterEach(() => void vi.useRealTimers())

  it('ends a call that is never answered', async () => {
    await against(
      () => {},
      async (canopy) => {
        expect(await canopy.userContentTree(visitorTree)()).toEqual(timeout(30))
      },
      { timeoutMs: 30 },
    )
  })

  it('ends a body that never ends', async () => {
    await against(
      (_, response) => {
        response.writeHead(200)
        response.write(emptyTree)
      },
      async (canopy) => {
        expect(await canopy.userContentTree(visitorTree)()).toEqual(timeout(100))
      },
      { timeoutMs: 100 },
    )
  })

  it('of a call stands before the one of the client', async () => {
    await against(
      () => {},
      async (canopy) => {
        expect(await canopy.userContentTree(visitorTree, { timeoutMs: 20 })()).toEqual(timeout(20))
      },
    )
  })

  it('longer than timers know ends no call', async () => {
    vi.useFakeTimers()
    const { promise, resolve } = promised()
    const answered = within({ timeoutMs: 2 ** 32 }, () => async () => E.right(await promise))()
    await vi.advanceTimersByTimeAsync(2 ** 31)
    resolve('answer')
    expect(await answered).toEqual(E.right('answer'))
  })

  it('may be longer than timers know', async () => {
    await against(
      (_, response) => {
        setTimeout(() => response.end(emptyTree), 20)
      },
      async (canopy) => {
        expect(E.isRight(await canopy.userContentTree(visitorTree)())).toBe(true)
      },
      { timeoutMs: Number.POSITIVE_INFINITY },
    )
  })

  it('is for the call as a whole: a wait that would outlast it is not begun', async () => {
    await against(
      inTurn(saying(503, error('overloaded'), { 'Retry-After': '3600' }), saying(200, emptyTree)),
      async (canopy, { targets }) => {
        expect(await canopy.userContentTree(visitorTree)()).toMatchObject({
          left: { reason: 'unexpected answer', status: 503, retryAfterSeconds: 3600 },
        })
        expect(targets.length).toBe(1)
      },
      { retries: 3, backOffMs: 1 },
    )
  })
})
