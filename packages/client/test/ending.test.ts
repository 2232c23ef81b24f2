import { afterEach, describe, expect, it, vi } from 'vitest'
import { client } from '../src/index.js'
import { against, emptyTree, error, failureOf, inTurn, nowhere, root, saying, through, visitor } from './answering.js'

const aborted = { error: 'aborted' }
const timedOut = (timeoutMs: number) => ({ error: 'timed out', timeoutMs })

const promised = () => {
  let resolve: (value: string) => void = () => {}
  const promise = new Promise<string>((settle) => {
    resolve = settle
  })
  return { promise, resolve: (value: string) => resolve(value) }
}

/** A signal, and what is done to its listeners. */
const watchedSignal = () => {
  const calls: Array<string> = []
  const { signal } = new AbortController()
  const watched = new Proxy(signal, {
    get: (target, name) => {
      if (name === 'addEventListener') return () => calls.push('added')
      if (name === 'removeEventListener') return () => calls.push('removed')
      return Reflect.get(target, name, target)
    },
  })
  return { signal: watched, calls }
}

describe('an AbortSignal', () => {
  it('that is aborted already ends the call before anything is sent', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      expect(await failureOf(canopy.userContentTree(visitor, { signal: AbortSignal.abort() }))).toEqual(aborted)
      expect(targets).toEqual([])
    })
  })

  it('ends a call that waits for an answer, and closes its connection', async () => {
    const controller = new AbortController()
    const { promise: closed, resolve } = promised()
    await against(
      ({ socket }) => {
        socket.once('close', () => resolve('closed'))
        controller.abort()
      },
      async (canopy) => {
        expect(await failureOf(canopy.userContentTree(visitor, { signal: controller.signal }))).toEqual(aborted)
        expect(await closed).toBe('closed')
      },
    )
  })

  it('ends the reading of a body', async () => {
    const controller = new AbortController()
    await against(
      (_, response) => {
        response.writeHead(200)
        response.write(emptyTree)
        setTimeout(() => controller.abort(), 20)
      },
      async (canopy) => {
        expect(await failureOf(canopy.userContentTree(visitor, { signal: controller.signal }))).toEqual(aborted)
      },
    )
  })

  it('ends a call that waits for the next attempt', async () => {
    const controller = new AbortController()
    await against(
      (request, response) => {
        saying(503, error('overloaded'))(request, response)
        response.once('close', () => controller.abort())
      },
      async (canopy, { targets }) => {
        expect(await failureOf(canopy.userContentTree(visitor, { signal: controller.signal }))).toEqual(aborted)
        expect(targets.length).toBe(1)
      },
      { retries: 5, backOffMs: 20_000 },
    )
  })

  it('ends a call through a fetch that ignores its signal', async () => {
    const controller = new AbortController()
    const deaf = through(() => {
      setImmediate(() => controller.abort())
      return new Promise(() => {})
    })
    expect(await failureOf(deaf.userContentTree(visitor, { signal: controller.signal }))).toEqual(aborted)
  })

  it('has one listener, however many calls it can end, and none when they have ended', async () => {
    const { signal, calls } = watchedSignal()
    await against(saying(200, emptyTree), async (canopy) => {
      const ask = () => canopy.userContentTree(visitor, { signal })
      await Promise.all(Array.from({ length: 20 }, ask))
      expect(calls).toEqual(['added', 'removed'])
      await ask()
      expect(calls).toEqual(['added', 'removed', 'added', 'removed'])
    })
  })

  it('of many calls causes no warning in Node', async () => {
    const warnings: Array<string> = []
    const hear = ({ name }: Error) => warnings.push(name)
    process.on('warning', hear)
    const { signal } = new AbortController()
    await against(saying(200, emptyTree), async (canopy) => {
      await Promise.all(Array.from({ length: 20 }, () => canopy.userContentTree(visitor, { signal })))
    })
    process.off('warning', hear)
    expect(warnings).toEqual([])
  })

  it('ends all calls under way, and none that has ended', async () => {
    const controller = new AbortController()
    await against(
      inTurn(saying(200, emptyTree), () => {}),
      async (canopy, { targets }) => {
        const ask = () => canopy.userContentTree(visitor, { signal: controller.signal })
        expect(await ask()).toMatchObject(root)
        const failures = Promise.all([ask(), ask(), ask()].map(failureOf))
        await expect.poll(() => targets.length).toBe(4)
        controller.abort()
        expect(await failures).toEqual([aborted, aborted, aborted])
      },
    )
  })
})

describe('a call that has ended', () => {
  afterEach(() => void vi.useRealTimers())

  it('leaves no timer, which would keep a program from ending', async () => {
    vi.useFakeTimers()
    const answers = [async () => new Response(emptyTree), async () => Promise.reject(new Error('thrown'))]
    for (const answer of answers)
      await through(answer)
        .userContentTree(visitor)
        .catch(() => {})
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a time-out', () => {
  afterEach(() => void vi.useRealTimers())

  it('longer than timers know ends no call', async () => {
    vi.useFakeTimers()
    const { promise, resolve } = promised()
    const canopy = client({ baseUrl: nowhere, timeoutMs: 2 ** 32, fetch: async () => new Response(await promise) })
    const answered = canopy.userContentTree(visitor)
    await vi.advanceTimersByTimeAsync(2 ** 31)
    resolve(emptyTree)
    expect(await answered).toMatchObject(root)
  })

  it('ends a call without an answer', async () => {
    await against(
      () => {},
      async (canopy) => {
        expect(await failureOf(canopy.userContentTree(visitor))).toEqual(timedOut(30))
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
        expect(await failureOf(canopy.userContentTree(visitor))).toEqual(timedOut(100))
      },
      { timeoutMs: 100 },
    )
  })

  it('of a call counts instead of the one of the client', async () => {
    await against(
      () => {},
      async (canopy) => {
        expect(await failureOf(canopy.userContentTree(visitor, { timeoutMs: 20 }))).toEqual(timedOut(20))
      },
    )
  })

  it.each([2 ** 31, Number.POSITIVE_INFINITY])('may be longer than timers know: %s', async (timeoutMs) => {
    await against(
      (_, response) => {
        setTimeout(() => response.end(emptyTree), 20)
      },
      async (canopy) => {
        expect(await canopy.userContentTree(visitor)).toMatchObject(root)
      },
      { timeoutMs },
    )
  })
})
