import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '@canopy/domain'
import { worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts, request } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { type Checks, readiness } from '../../src/observe/health.js'
import type { ServerEnv } from '../../src/server.js'
import { logged } from '../logs.js'
import { plantData } from '../plantData.js'
import { servedApps } from '../servedApps.js'
import { startServer, temporaryData } from '../startServer.js'

const ports = memoryPorts({ accounts: [], triggers: [] })

describe('probes', () => {
  const served = servedApps()

  const serve = async (options: Partial<ServerEnv>) => {
    const service = await served(ports, options)
    return (target: string, method = 'GET') => request(service.port, { method, target })
  }

  const broken: Checks = { registry: TE.left(Failure.external(new Error('at /secret/place'))), storage: TE.right(1) }

  it('find the server healthy as long as the process answers', async () => {
    const get = await serve({ readiness: readiness(broken) })
    const answer = await get('/healthz')
    expect([answer.status, answer.body.toString()]).toEqual([200, '{"type":"health","status":"ok"}'])
    expect(headerOf(answer, 'Cache-Control')).toBe('no-store')
  })

  it('ask in HTTP, as everyone does', async () => {
    const { port } = await served(ports)
    for (const target of ['/healthz', '/readyz']) {
      for (const headers of [
        [],
        [['Host', 'a b']],
        [
          ['Host', 'a'],
          ['Host', 'b'],
        ],
      ] as const)
        expect((await request(port, { method: 'GET', target, headers })).status).toBe(400)
    }
  })

  it('find it ready when every part answers', async () => {
    const answer = await (await serve({}))('/readyz?verbose')
    expect([answer.status, answer.body.toString()]).toEqual([200, '{"type":"ready","status":"ok"}'])
    expect([headerOf(answer, 'Cache-Control'), headerOf(answer, 'ETag')]).toEqual(['no-store', undefined])
  })

  it('hear which part fails, by its name alone', async () => {
    const answer = await (await serve({ readiness: readiness(broken) }))('/readyz')
    expect([answer.status, answer.body.toString()]).toEqual([
      503,
      '{"type":"ready","status":"failed","failed":["registry"]}',
    ])
  })

  it('hear that the server is going away', async () => {
    const ready = readiness({})
    const get = await serve({ readiness: ready })
    expect((await get('/readyz')).status).toBe(200)
    ready.drain()
    const answer = await get('/readyz')
    expect([answer.status, answer.body.toString()]).toEqual([503, '{"type":"ready","status":"draining"}'])
    expect((await get('/healthz')).status).toBe(200)
  })

  it.each(['/healthz', '/readyz'])('read %s and nothing else', async (target) => {
    const get = await serve({})
    expect([(await get(target, 'HEAD')).status, (await get(target, 'HEAD')).body.length]).toEqual([200, 0])
    for (const method of ['POST', 'OPTIONS', 'DELETE']) {
      const refused = await get(target, method)
      expect([refused.status, headerOf(refused, 'Allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  it.each(['/healthz/', '/HEALTHZ', '//healthz', '/readyz/x', '/health'])('do not stand at %s', async (target) => {
    expect((await (await serve({}))(target)).status).toBe(404)
  })

  it('leave a line in the log at debug, and none at info', async () => {
    const { lines, log } = logged('debug')
    const get = await serve({ log })
    await get('/readyz')
    await get('/nowhere')
    expect(lines.map(({ level }) => level)).toEqual([20, 30])
  })
})

describe('probes of the server process', () => {
  it('find it not ready while the storage is gone, though it is healthy, and ready again after', async () => {
    const data = await temporaryData()
    await plantData(data, worldWith())
    const server = await startServer({ CANOPY_DATA: data, CANOPY_MAX_IN_FLIGHT: '1' })
    const get = (target: string) => request(server.port, { method: 'GET', target })
    const until = async (status: number) => {
      for (;;) {
        const answer = await get('/readyz')
        if (answer.status === status) return answer.body.toString()
      }
    }
    expect(await until(200)).toBe('{"type":"ready","status":"ok"}')
    await rename(join(data, 'areas'), join(data, 'gone'))
    expect(await until(503)).toBe('{"type":"ready","status":"failed","failed":["storage"]}')
    expect((await get('/healthz')).status).toBe(200)
    await rename(join(data, 'gone'), join(data, 'areas'))
    expect(await until(200)).toBe('{"type":"ready","status":"ok"}')
    expect(server.lines).toContainEqual(
      expect.objectContaining({ level: 40, part: 'storage', cause: expect.stringContaining('ENOENT') }),
    )
    await server.end()
    await rm(data, { recursive: true })
  })
})
