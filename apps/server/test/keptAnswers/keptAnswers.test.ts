import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Listing } from '@canopy/domain'
import { headerOf, memoryPorts, type RawResponse, request, scenarios, target, type World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import pino from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { failedLookups } from '../../src/defence/failedLookups.js'
import { type Given, keepAnswers } from '../../src/keptAnswers/keepAnswers.js'
import { type Lookup, lookup } from '../../src/keptAnswers/Lookup.js'
import type { Ports } from '../../src/ports/Ports.js'
import { routes } from '../../src/routes.js'
import type { ServiceEnv } from '../../src/service.js'
import { later } from '../later.js'
import { startApp } from '../startApp.js'
import { steadyPorts } from './steadyPorts.js'

const token = `cnp_${'a'.repeat(42)}A`
const unknown = `cnp_${'z'.repeat(42)}A`
const file = { type: 'file', name: 'a', size: 1n, last_modified: 1n } as const

const worldWith = (visibility: 'public' | 'private', state: 'valid' | 'revoked' = 'valid'): World => ({
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [{ token, scope: '/', state }],
      settings: [{ path: '/', visibility }],
      area: [file, { type: 'dir', name: 'd', last_modified: 1n, content: [file] }],
    },
  ],
  triggers: [{ id: 'bell', value: '{"type":"bell"}', state: 'valid' }],
})

const ofOwner = `/api/storage/v1/diritems/${token}/d`
const ofVisitor = '/api/usercontent/v1/diritems/id/1/d'

describe('a kept answer', () => {
  const ends: Array<() => Promise<unknown>> = []
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())))

  const serve = async (world: World, options: Partial<ServiceEnv> = {}) => {
    const { ports, replace } = steadyPorts(world)
    const lines: Array<string> = []
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
    const { port, stop } = await startApp(ports, { log, ...options })
    ends.push(stop)
    const ask = (path: string, more: ReadonlyArray<readonly [string, string]> = [], method = 'GET') =>
      request(port, { method, target: path, headers: [['Host', 'x'], ...more] })
    return { ask, replace, lines }
  }

  const withoutOwn = ({ status, headers, body }: RawResponse) => ({
    status,
    headers: headers.filter(([name]) => name !== 'Date' && name !== 'X-Request-Id'),
    body: body.toString(),
  })

  it('has a line also when who asked leaves before it is verified', async () => {
    let verify = (): void => undefined
    let verifying = 0
    const waitSeconds = () =>
      new Promise<number>((resolve) => {
        verifying += 1
        verify = () => resolve(0)
        if (verifying === 1) verify()
      })
    const lines: Array<string> = []
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
    const { ports } = steadyPorts(worldWith('public'))
    const { port, stop } = await startApp(ports, { log, failedLookups: { waitSeconds, count: async () => undefined } })
    ends.push(stop)
    await request(port, { method: 'GET', target: ofOwner, headers: [['Host', 'x']] })
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${ofOwner} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await expect.poll(() => verifying).toBe(2)
    socket.destroy()
    await expect.poll(() => lines.length).toBe(2)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { operation: 'storageDirItems', status: 200 },
      { operation: 'storageDirItems', aborted: true },
    ])
    verify()
  })

  it('is not sent where a limit fails, and the next request is answered', async () => {
    const failing = { fails: false }
    const waitSeconds = () => (failing.fails ? Promise.reject(new Error('no limiter')) : Promise.resolve(0))
    const { ports } = steadyPorts(worldWith('public'))
    const { port, stop } = await startApp(ports, { failedLookups: { waitSeconds, count: async () => undefined } })
    ends.push(stop)
    const ask = () => request(port, { method: 'GET', target: ofOwner, headers: [['Host', 'x']] })
    expect((await ask()).status).toBe(200)
    failing.fails = true
    await expect(ask()).rejects.toThrow('no response head')
    failing.fails = false
    expect((await ask()).status).toBe(200)
  })

  it('is byte for byte what it was, and has an identity and a log line of its own', async () => {
    const { ask, lines } = await serve(worldWith('public'))
    for (const path of [ofOwner, ofVisitor, `/api/storage/v1/tree/${token}`, '/api/triggers/v1/peek/bell']) {
      lines.length = 0
      const [first, again] = [await ask(path), await ask(path)]
      expect(withoutOwn(again)).toEqual(withoutOwn(first))
      expect(headerOf(again, 'X-Request-Id')).not.toBe(headerOf(first, 'X-Request-Id'))
      const [one, other] = lines.map((line) => JSON.parse(line))
      const own = { id: headerOf(again, 'X-Request-Id'), ms: other.ms, time: other.time }
      expect(other).toEqual({ ...one, ...own })
    }
  })

  /** A trigger whose value counts how often it is read: to check it once, and whenever an answer is made of it. */
  const countedTrigger = async (options: Partial<ServiceEnv> = {}, ready: Promise<void> = Promise.resolve()) => {
    const counted = { lookups: 0, reads: 0 }
    const value = {
      type: 'bell',
      get json() {
        counted.reads += 1
        return '{"type":"bell"}'
      },
    }
    const triggerOf = () => async () => {
      counted.lookups += 1
      await ready
      return E.right(value)
    }
    const { ports } = steadyPorts(worldWith('public'))
    const { port, stop } = await startApp({ ...ports, triggerOf }, options)
    ends.push(stop)
    const ask = () => request(port, { method: 'GET', target: '/api/triggers/v1/peek/bell', headers: [['Host', 'x']] })
    const readBy = async (asking: Promise<unknown>) => {
      const before = counted.reads
      await asking
      return counted.reads - before
    }
    return { ask, readBy, counted }
  }

  it('is not made anew', async () => {
    const { ask, readBy } = await countedTrigger()
    expect(await readBy(ask())).toBeGreaterThan(0)
    expect(await readBy(ask())).toBe(0)
    const { ask: askAnew, readBy: readAnew } = await countedTrigger({ keptAnswerBytes: 0 })
    await askAnew()
    expect(await readAnew(askAnew())).toBeGreaterThan(0)
  })

  it('is not made anew either for those who waited while it was made', async () => {
    const { value: ready, give } = later()
    const { ask, counted } = await countedTrigger({ atOnce: { most: 1, longMs: 100_000 } }, ready)
    const first = ask()
    await expect.poll(() => counted.lookups).toBe(1)
    const asked = [first, ask(), ask()]
    // Nothing tells that a request waits.
    await sleep(50)
    expect(counted.lookups).toBe(1)
    give()
    const answers = await Promise.all(asked)
    expect(new Set(answers.map(({ body }) => body.toString()))).toEqual(
      new Set(['{"type":"trigger peak","value":{"type":"bell"}}']),
    )
    const { ask: askAlone, readBy: readAlone } = await countedTrigger()
    expect(counted.reads).toBe(await readAlone(askAlone()))
  })

  it('waits for nobody', async () => {
    const { value: ready, give } = later()
    const { ports } = steadyPorts(worldWith('public'))
    const triggerOf = (id: Parameters<typeof ports.triggerOf>[0]) => async () => {
      await ready
      return ports.triggerOf(id)()
    }
    const { port, stop } = await startApp({ ...ports, triggerOf }, { atOnce: { most: 1, longMs: 100_000 } })
    ends.push(stop)
    const ask = (path: string) => request(port, { method: 'GET', target: path, headers: [['Host', 'x']] })
    const kept = '/api/usercontent/v1/tree/id/1'
    expect((await ask(kept)).status).toBe(200)
    const hanging = ask('/api/triggers/v1/peek/bell')
    // Nothing tells that a request has come to its port.
    await sleep(50)
    expect((await ask(kept)).status).toBe(200)
    give()
    await hanging
  })

  it('is not verified any more where a port gives its values anew each time: that would be to read twice', async () => {
    const { ports } = steadyPorts(worldWith('public'))
    let listed = 0
    const list: Ports['list'] = (area, path) => async () => {
      listed += 1
      const listing = await ports.list(area, path)()
      return E.map((one: Listing.Listing) => ({ ...one }))(listing)
    }
    const { port, stop } = await startApp({ ...ports, list })
    ends.push(stop)
    const counts: Array<number> = []
    for (const _ of [1, 2, 3, 4, 5]) {
      await request(port, { method: 'GET', target: ofVisitor, headers: [['Host', 'x']] })
      counts.push(listed)
    }
    expect(counts).toEqual([1, 3, 5, 6, 7])
  })

  it('is what would be answered anew, in every scenario and whatever was asked before', async () => {
    const worlds = [...new Set(scenarios.map(({ world }) => world))]
    const targets = [...new Set(scenarios.map(({ ask }) => target(ask)))]
    const { ask, replace } = await serve(worldWith('public'))
    for (const world of [...worlds, ...worlds]) {
      replace(world)
      const anew = await startApp(memoryPorts(world), { keptAnswerBytes: 0 })
      for (const path of targets) {
        const fresh = withoutOwn(await request(anew.port, { method: 'GET', target: path, headers: [['Host', 'x']] }))
        for (const _ of [1, 2]) expect([path, withoutOwn(await ask(path))]).toEqual([path, fresh])
      }
      await anew.stop()
    }
  })

  it('is for one query: another one asks for something else', async () => {
    const { ask } = await serve(worldWith('public'))
    const root = '/api/usercontent/v1/diritems/id/1'
    const itemsOf = async (path: string) => JSON.parse((await ask(path)).body.toString()).content.length
    for (const _ of [1, 2])
      expect([await itemsOf(`${root}?limit=1`), await itemsOf(root), await itemsOf(`${root}?after=a`)]).toEqual([
        1, 2, 1,
      ])
  })

  it('is given no more once its token is revoked, its account private or its trigger gone', async () => {
    const { ask, replace } = await serve(worldWith('public'))
    const paths = [ofOwner, ofVisitor, '/api/triggers/v1/peek/bell']
    const statuses = async () => Promise.all(paths.map(async (path) => (await ask(path)).status))
    for (const _ of [1, 2]) expect(await statuses()).toEqual([200, 200, 200])
    replace({ ...worldWith('private', 'revoked'), triggers: [] })
    for (const _ of [1, 2]) expect(await statuses()).toEqual([401, 403, 404])
    replace(worldWith('public'))
    expect(await statuses()).toEqual([200, 200, 200])
  })

  it('is not given to a client that has tried too many secrets in vain', async () => {
    const { ask } = await serve(worldWith('public'), {
      failedLookups: failedLookups(1),
      trustedProxies: () => true,
    })
    const from = (client: string) => [['X-Forwarded-For', client]] as const
    for (const _ of [1, 2]) expect((await ask(ofOwner, from('192.0.2.1'))).status).toBe(200)
    await ask(`/api/storage/v1/tree/${unknown}`, from('192.0.2.1'))
    expect((await ask(ofOwner, from('192.0.2.1'))).status).toBe(429)
    expect((await ask(ofOwner, from('192.0.2.2'))).status).toBe(200)
    expect((await ask(ofVisitor, from('192.0.2.1'))).status).toBe(200)
  })

  it('is not given in the last second of that time either', async () => {
    let wait = 0
    const waiting = { waitSeconds: async () => wait, count: async () => undefined }
    const { ask } = await serve(worldWith('public'), { failedLookups: waiting })
    for (const _ of [1, 2]) expect((await ask(ofOwner)).status).toBe(200)
    wait = 1
    const refused = await ask(ofOwner)
    expect([refused.status, headerOf(refused, 'Retry-After')]).toEqual([429, '1'])
  })

  it('is for GET and HEAD with one Host header', async () => {
    const { ask } = await serve(worldWith('public'))
    const first = await ask(ofVisitor)
    const head = await ask(ofVisitor, [], 'HEAD')
    expect([head.status, head.headers.length, head.body.length]).toEqual([200, first.headers.length, 0])
    expect((await ask(ofVisitor, [['Host', 'y']])).status).toBe(400)
    expect((await ask(ofVisitor, [], 'POST')).status).toBe(405)
    expect((await ask(ofVisitor, [], 'OPTIONS')).status).toBe(204)
    expect((await ask(ofVisitor, [['If-None-Match', headerOf(first, 'ETag') ?? '']])).status).toBe(304)
  })
})

describe('kept answers', () => {
  const route = routes[2]
  if (route === undefined) throw new Error('no such route')
  const given = (bytes: number) => ({
    route,
    asked: { credential: '', path: '', query: '' },
    answer: { status: 200, headers: {}, body: { is: 'bytes', bytes: Buffer.alloc(bytes), nodes: 0 } } as const,
  })

  const nothing = () => O.some([])

  it('take no more memory than they may, and the longest unused goes first', () => {
    const kept = keepAnswers(24_000)
    for (const target of ['/1', '/2', '/3', '/4']) {
      kept.keep(target, given(2_000), nothing)
      kept.get('/1')
    }
    expect(['/1', '/2', '/3', '/4'].map((target) => kept.get(target) !== undefined)).toEqual([true, false, true, true])
    kept.keep('/large', given(24_000), nothing)
    expect(kept.get('/large')).toBe(undefined)
  })

  it('cost what they are found by and what verifies them, too', () => {
    const stands = async () => true
    const verified = keepAnswers(24_000)
    verified.keep('/', given(0), () => O.some(Array.from({ length: 100 }, () => stands)))
    expect(verified.get('/')).toBe(undefined)
    const long = `/${'a'.repeat(20_000)}`
    const found = keepAnswers(24_000)
    found.keep(long, given(0), nothing)
    expect(found.get(long)).toBe(undefined)
  })

  it('are none with no memory for them', () => {
    const kept = keepAnswers(0)
    kept.keep('/', given(1), nothing)
    expect(kept.get('/')).toBe(undefined)
  })

  it('are not kept when they cannot be verified', () => {
    const kept = keepAnswers(100_000)
    kept.keep('/', given(1), () => O.none)
    expect(kept.get('/')).toBe(undefined)
  })

  it('stand while all their look-ups do', async () => {
    const kept = keepAnswers(100_000)
    const values = [{}, {}]
    const first = [...values]
    const lookups = first.map((value, index) =>
      lookup('list', async () => ({ _tag: 'Right', right: values[index] as object }), value),
    )
    kept.keep('/', given(1), () => O.some(lookups))
    expect(await kept.get('/')?.stands()).toBe(true)
    values[1] = {}
    expect(await kept.get('/')?.stands()).toBe(false)
  })

  describe('that fell', () => {
    const fallen = () => O.some([async () => false])
    const steady = () => O.some([async () => true])
    const bytes = (text: string) => {
      const { answer, ...asked } = given(0)
      return { ...asked, answer: { ...answer, body: { ...answer.body, bytes: Buffer.from(text) } } }
    }
    const tagged = (etag: string) => {
      const { answer, ...asked } = given(0)
      return { ...asked, answer: { ...answer, body: { ...answer.body, etag } } }
    }
    const isKeptAfter = async (...answers: ReadonlyArray<readonly [Given, () => O.Option<ReadonlyArray<Lookup>>]>) => {
      const kept = keepAnswers(100_000)
      for (const [answer, lookups] of answers) {
        kept.keep('/', answer, lookups)
        await kept.get('/')?.stands()
      }
      return kept.get('/') !== undefined
    }

    it('are kept again, but not when they were verified in vain twice in a row', async () => {
      const [one, other] = [bytes('one'), bytes('other')]
      expect(await isKeptAfter([one, fallen], [one, fallen])).toBe(true)
      expect(await isKeptAfter([one, fallen], [one, fallen], [one, fallen])).toBe(false)
      expect(await isKeptAfter([one, fallen], [one, fallen], [one, steady])).toBe(false)
      expect(await isKeptAfter([one, fallen], [one, fallen], [other, fallen])).toBe(true)
      expect(await isKeptAfter([one, fallen], [other, fallen], [one, fallen], [other, fallen])).toBe(true)
      expect(await isKeptAfter([one, fallen], [one, steady], [one, fallen], [one, fallen])).toBe(true)
    })

    it('are forgotten for others where their targets would take too much memory', async () => {
      const kept = keepAnswers(100_000)
      const keep = async (target: string) => {
        kept.keep(target, bytes('one'), fallen)
        await kept.get(target)?.stands()
      }
      const [first, second] = ['1', '2'].map((name) => `/${name.repeat(10_000)}`) as [string, string]
      for (const target of [first, first, first, first]) await keep(target)
      expect(kept.get(first)).toBe(undefined)
      for (const target of [second, second, second]) await keep(target)
      await keep(first)
      expect(kept.get(first)).not.toBe(undefined)
    })

    it('told the same where their entity tags are the same', async () => {
      const [one, other] = [tagged('W/"1"'), tagged('W/"2"')]
      expect(await isKeptAfter([one, fallen], [one, fallen], [one, fallen])).toBe(false)
      expect(await isKeptAfter([one, fallen], [other, fallen], [one, fallen])).toBe(true)
    })

    it('stay counted when the same was made several times at once', async () => {
      const kept = keepAnswers(100_000)
      for (const _ of [1, 2, 3]) {
        for (const __ of [1, 2]) kept.keep('/', bytes('one'), fallen)
        await kept.get('/')?.stands()
      }
      expect(kept.get('/')).toBe(undefined)
    })

    it('are not counted for each of those that were made at the same time', () => {
      const kept = keepAnswers(100_000)
      for (const _ of [1, 2, 3, 4]) kept.keep('/', bytes('one'), fallen)
      expect(kept.get('/')).toBeDefined()
    })
  })
})
