import { Failure } from '@canopy/domain'
import { dir, file, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { observedApps } from './inProcess.js'

const target = '/api/usercontent/v1/tree/id/1'
const memory = memoryPorts(worldWith(Array.from({ length: 500 }, (_, at) => dir(`d${at}`, file('f')))))
const serve = observedApps()

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

/** Sends a request, and returns a function that closes its connection. */
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
  const { url, metrics } = await serve(ports)
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
  const { url, lines } = await serve(ports, { maxAdmitted: 2, portMs })
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
