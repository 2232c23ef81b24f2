import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from '@canopy/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plantData } from '../plantData.js'
import { type Server, startServer, temporaryData } from '../startServer.js'
import { samples } from './samples.js'

const peeks =
  /^canopy_requests_total\{operation="triggerPeek",status="404",failure="trigger not found",worker="(\d+)"\}$/

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sleep(50)
}

describe('the metrics of a server of several processes', () => {
  let data = ''
  let server: Server

  beforeEach(async () => {
    data = await temporaryData()
    await plantData(data, { accounts: [], triggers: [] })
    server = await startServer({ CANOPY_DATA: data, CANOPY_WORKERS: '2', CANOPY_METRICS_PORT: '0' })
  })
  afterEach(async () => {
    await server.end()
    await rm(data, { recursive: true })
  })

  const said = (text: string) => server.lines.filter(({ msg }) => msg === text)
  const scraped = async () => {
    const { url } = said('metrics')[0] as { readonly url: string }
    const { status, body } = await request(Number(new URL(url).port), { method: 'GET', target: '/metrics' })
    expect(status).toBe(200)
    return new Map(
      [...samples(body.toString())].flatMap(([name, value]) =>
        peeks.test(name) ? [[peeks.exec(name)?.[1], value]] : [],
      ),
    )
  }
  const sum = (counts: ReadonlyMap<unknown, number>) => [...counts.values()].reduce((total, count) => total + count, 0)
  const peek = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1)
      await request(server.port, { method: 'GET', target: '/api/triggers/v1/peek/bell' })
  }

  it('are those of all, on one port, each with a series of its own, so that none falls when a worker exits', async () => {
    await until(() => said('every worker is ready').length > 0)
    await peek(10)
    expect(sum(await scraped())).toBe(10)
    server.process.kill('SIGHUP')
    await until(() => said('reloaded').length > 0)
    await peek(5)
    const after = await scraped()
    expect([...after.keys()].filter((worker) => Number(worker) > 2)).not.toEqual([])
    expect(sum(new Map([...after].filter(([worker]) => Number(worker) > 2)))).toBe(5)
    expect(said('metrics').length).toBe(1)
  })
})
