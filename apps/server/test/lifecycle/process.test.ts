import { once } from 'node:events'
import { createServer } from 'node:net'
import { listening } from '@canopy/test-support'
import { headerOf } from '@canopy/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { startCollector } from '../observe/observing.js'
import { dataOf, serverOfTest, spawnServer, type Variables } from '../startServer.js'
import { allFiles, requestInFlight, seedMuch } from './inFlight.js'

const over = dataOf(seedMuch)

const started = (variables: Variables = {}) => serverOfTest({ CANOPY_DATA: over.data, ...variables })

const signals = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const

it.each(signals)('a server finishes a request in flight on %s, refuses others, and exits 0', async (signal) => {
  const server = await started()
  const { finish } = await requestInFlight(server.port)
  const exit = server.end(signal)
  await expect.poll(() => server.get('/').catch(({ code }) => code)).toBe('ECONNREFUSED')
  expect(server.process.exitCode).toBe(null)
  expect(await finish()).toBe(allFiles)
  expect(await exit).toBe(0)
  expect(server.lines.filter(({ operation }) => operation === 'userContentTree')).toHaveLength(1)
})

it('a server answers and is not ready for CANOPY_DRAIN_MS after a stop', async () => {
  const server = await started({ CANOPY_DRAIN_MS: '3000' })
  const exit = server.end()
  await server.until('stopping')
  const answer = await server.get('/api/usercontent/v1/tree/id/1?depth=0')
  expect([answer.status, headerOf(answer, 'Connection'), await server.status('/readyz')]).toEqual([200, 'close', 503])
  expect(await exit).toBe(0)
})

it('a server cuts unfinished answers CANOPY_STOP_MS after a stop, and exits 0', async () => {
  const server = await started({ CANOPY_STOP_MS: '300' })
  const { finish } = await requestInFlight(server.port)
  expect(await server.end()).toBe(0)
  // The last lines of a process may come in any order.
  expect(server.lines).toContainEqual(
    expect.objectContaining({ cut: 1, msg: expect.stringContaining('unfinished responses') }),
  )
  expect(server.lines).toContainEqual(expect.objectContaining({ aborted: true, msg: 'request' }))
  await expect(finish()).resolves.toBeLessThan(allFiles)
})

it('a server exits 1 at once on a second signal', async () => {
  const server = await started()
  const { socket } = await requestInFlight(server.port)
  const exit = server.end()
  await server.until('stopping')
  server.process.kill('SIGINT')
  expect(await exit).toBe(1)
  socket.destroy()
})

it('a server that does not listen yet exits 0 on SIGTERM', async () => {
  const hangingDatabase = createServer()
  const registry = `postgres://canopy@127.0.0.1:${await listening(hangingDatabase)}/canopy`
  const child = spawnServer({ CANOPY_DATA: over.data, CANOPY_REGISTRY: registry })
  await once(hangingDatabase, 'connection')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  hangingDatabase.close()
})

it('a server sends its last traces before it exits', async () => {
  const collector = await startCollector()
  onTestFinished(collector.stop)
  const server = await started({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  await server.get('/api/triggers/v1/peek/bell')
  expect(await server.end()).toBe(0)
  expect(collector.spans().map(({ name }) => name)).toEqual(['triggerOf', 'triggerPeek'])
})
