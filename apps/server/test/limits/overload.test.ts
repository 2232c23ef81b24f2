import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawResponse, request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { samples } from '../observe/samples.js'
import { undocumented } from '../openapi/documented.js'
import { plantData } from '../plantData.js'
import { type Server, startServer, temporaryData } from '../startServer.js'

/** Enough for the event loop to turn while they are listed. */
const files = 5_000

const asked = { method: 'GET', target: '/api/usercontent/v1/diritems/id/1' }

describe('a server process that may work on one request at once', () => {
  let data = ''
  let server: Server
  const answers: Array<RawResponse> = []
  const probed: Array<RawResponse> = []

  const withStatus = (status: number) => answers.filter((answer) => answer.status === status)

  /** As many at once as it takes for some to come while one is worked on. */
  const overload = async (): Promise<void> => {
    const asking = Array.from({ length: 24 }, () => request(server.port, asked))
    // They come while the only place is taken.
    const probing = Array.from({ length: 8 }, () => request(server.port, { method: 'GET', target: '/readyz' }))
    answers.push(...(await Promise.all(asking)))
    probed.push(...(await Promise.all(probing)))
    if (withStatus(503).length < 2) return overload()
  }

  beforeAll(async () => {
    data = await temporaryData()
    const settings = [{ path: '/', visibility: 'public' as const }]
    await plantData(data, { accounts: [{ id: '1', verified: true, tokens: [], settings, area: [] }], triggers: [] })
    for (let index = 0; index < files; index += 1) writeFileSync(join(data, `areas/1/${index}`), '')
    server = await startServer({ CANOPY_DATA: data, CANOPY_MAX_IN_FLIGHT: '1', CANOPY_METRICS_PORT: '0' })
    await overload()
  })
  afterAll(async () => {
    await server.end()
    await rm(data, { recursive: true })
  })

  it('answers it, and refuses the others as the document says; probes it answers all the same', () => {
    expect(server.lines.filter(({ level }) => Number(level) >= 50)).toEqual([])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
    for (const { complete, body } of withStatus(200))
      expect([complete, body.toString().match(/"is_file":true/g)?.length]).toEqual([true, files])
    expect(answers.flatMap((answer) => undocumented(asked, answer))).toEqual([])
    expect(new Set(probed.map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('counts what it answers and what it refuses', async () => {
    const { url } = server.lines.find(({ msg }) => msg === 'metrics') as { readonly url: string }
    const { body } = await request(Number(new URL(url).port), { method: 'GET', target: '/metrics' })
    const counted = samples(body.toString())
    const labelled = (status: number, failure: string): string =>
      `canopy_requests_total{operation="userContentDirItems",status="${status}",failure="${failure}"}`
    expect(counted.get(labelled(503, 'overloaded'))).toBe(withStatus(503).length)
    expect(counted.get(labelled(200, 'none'))).toBe(withStatus(200).length)
    expect(counted.get('canopy_requests_admitted')).toBe(0)
  })

  it('logs how many it refused, not each of them', async () => {
    const logged = () => server.lines.filter(({ msg }) => msg === 'overloaded')
    const refused = () => logged().reduce((sum, { refused }) => sum + Number(refused), 0)
    while (refused() < withStatus(503).length) await sleep(50)
    expect(refused()).toBe(withStatus(503).length)
    expect(logged().length).toBeLessThan(withStatus(503).length)
    expect(new Set(logged().map(({ level }) => level))).toEqual(new Set([40]))
    expect(server.lines.filter(({ status }) => status === 503)).toEqual([])
  })
})
