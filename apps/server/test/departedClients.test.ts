import { Failure } from '@canopy/domain'
import { dir, file, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { get, openTo } from './http/connecting.js'
import { later, observedApps } from './inProcess.js'

const target = '/api/usercontent/v1/tree/id/1'
const memory = memoryPorts(worldWith(Array.from({ length: 500 }, (_, at) => dir(`d${at}`, file('f')))))
const observed = observedApps()

/** A storage that waits below the root, or for a node, until its client has left, or for good. */
const waitingStorage = (port: 'list' | 'nodeAt', waitsForGood = false) => {
  const state = { calls: 0, waits: true }
  const wait =
    ({ signal }: NonNullable<Parameters<typeof memory.nodeAt>[2]>) =>
    async () => {
      state.calls += 1
      await new Promise<void>((resolve) => waitsForGood || signal?.addEventListener('abort', resolve))
      return E.left(Failure.external(new Error('the client left')))
    }
  const { list, nodeAt } = memory
  const ports: typeof memory = {
    ...memory,
    list: (area, path, options = {}) =>
      state.waits && port === 'list' && path !== '/' ? wait(options) : list(area, path, options),
    nodeAt: (area, path, options = {}) => (state.waits && port === 'nodeAt' ? wait(options) : nodeAt(area, path)),
  }
  return { state, ports }
}

const departing = (url: string) => {
  const client = new AbortController()
  const answer = fetch(url, { signal: client.signal })
  return async () => {
    client.abort()
    await expect(answer).rejects.toThrow('aborted')
  }
}

it.each(['list', 'nodeAt'] as const)('a cancelled call of %s is the last one, and no failure', async (port) => {
  const { state, ports } = waitingStorage(port)
  const { url, metrics } = await observed(ports)
  const leave = departing(`${url}${target}`)
  await expect.poll(() => state.calls).toBeGreaterThan(0)
  const before = state.calls
  await leave()
  await expect.poll(metrics).toContain('canopy_requests_admitted 0')
  expect(state.calls).toBeLessThan(before + 100)
  expect(await metrics()).toContain('canopy_unreadable_directories_total 0')
  expect(await metrics()).toContain(`canopy_port_failures_total{port="${port}",failure="external"} 0`)
})

it.each([
  ['when the storage stops reading', 'list', 8_000],
  ['after the time limit of the storage', 'nodeAt', 500],
] as const)('a client that leaves releases the slot of its area %s', async (_, port, portMs) => {
  const { state, ports } = waitingStorage(port, port === 'nodeAt')
  // One area may use half of the slots, which is one.
  const { url, lines } = await observed(ports, { maxAdmitted: 2, portMs })
  const leave = departing(`${url}${target}`)
  await expect.poll(() => state.calls).toBeGreaterThan(0)
  const status = async (): Promise<number> => (await fetch(`${url}${target}`)).status
  state.waits = false
  expect(await status()).toBe(503)
  await leave()
  await expect.poll(status, { timeout: 5_000 }).toBe(200)
  const reported = expect.objectContaining({ refused: expect.any(Number), msg: 'overloaded, refusing requests' })
  await expect.poll(() => lines).toContainEqual(reported)
  expect(lines.filter((line) => line['status'] === 503)).toEqual([])
})

const peek = '/api/triggers/v1/peek/bell'

/** Each look-up of a trigger ends when a test says so. One is in work. */
const serve = async (maxAdmitted = 100) => {
  const memory = memoryPorts({ accounts: [], triggers: [{ id: 'bell', value: '{"type":"bell"}', state: 'valid' }] })
  const lookups: Array<() => void> = []
  const triggerOf: typeof memory.triggerOf = (id) => async () => {
    const { value, give } = later()
    lookups.push(give)
    await value
    return memory.triggerOf(id)()
  }
  const service = await observed({ ...memory, triggerOf }, { cacheBytes: 0, maxAdmitted })
  const leave = departing(`${service.url}${peek}`)
  await expect.poll(() => lookups.length).toBe(1)
  return { ...service, leave, lookups }
}

it('the work of a client that has left counts until it ends', async () => {
  const { ask, leave, lookups } = await serve(1)
  await leave()
  const status = async () => (await ask('/nowhere')).status
  expect(await status()).toBe(503)
  lookups[0]?.()
  await expect.poll(status).toBe(404)
})

const pipeline = (port: number, ...targets: ReadonlyArray<string>) => {
  const client = openTo(port)
  client.socket.write(targets.map((each) => get(each)).join(''))
  return client
}

it('pipelined requests beyond the bound are refused, like any other', async () => {
  const { port, lookups, metrics } = await serve(3)
  const { heard } = pipeline(port, ...Array<string>(4).fill(peek))
  await expect.poll(() => lookups.length).toBe(3)
  expect(await metrics()).toContain('canopy_requests_admitted 3')
  for (const end of lookups) end()
  await expect.poll(() => heard().match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['200', '200', '503', '503'])
  await expect.poll(metrics).toContain('canopy_requests_admitted 0')
})

it('each pipelined request of a client that has left is logged and counted', async () => {
  const { port, leave, lookups, lines, metrics } = await serve()
  const { socket } = pipeline(port, peek, peek, '/nowhere')
  await expect.poll(() => lookups.length).toBe(3)
  socket.destroy()
  await expect.poll(() => lines.length).toBe(3)
  for (const line of lines) expect(line).toMatchObject({ msg: 'request', aborted: true })
  await leave()
  await expect.poll(metrics).toContain('canopy_requests_in_flight 0')
  expect(await metrics()).toContain('canopy_requests_aborted_total{operation="triggerPeek"} 3')
  for (const end of lookups) end()
})
