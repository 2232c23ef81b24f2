import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from '@canopy/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plantData } from '../plantData.js'
import { startServer, temporaryData } from '../startServer.js'
import { type Collector, startCollector } from './collector.js'
import { preload } from './preload.js'

/** Writes down, when the process ends, which files of code it has loaded. */
const writeLoaded = `
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
const session = new Session()
const urls = []
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url))
session.post('Debugger.enable')
process.on('exit', () => writeFileSync(process.env.LOADED, urls.join(' ')))`

/** Where prom-client is in the bundle, named by our module that wants it, and the SDK of object stores; and that of traces. */
const parts = {
  metrics: '/dist/main-metricsServer.js',
  objects: '/dist/main-awsSdk.js',
  traces: '/@opentelemetry/sdk-trace',
}

describe('a server process loads', () => {
  let data = ''
  let collector: Collector
  beforeEach(async () => {
    collector = await startCollector()
    data = await temporaryData()
    await plantData(data, { accounts: [], triggers: [] })
  })
  afterEach(async () => {
    await collector.stop()
    await rm(data, { recursive: true })
  })

  const to = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url })

  it.each<[string, ReadonlyArray<keyof typeof parts>, (collector: string) => Readonly<Record<string, string>>]>([
    ['nothing is wanted', [], () => ({})],
    ['traces are disabled', [], (url) => ({ ...to(url), OTEL_SDK_DISABLED: 'true' })],
    ['metrics are wanted', ['metrics'], () => ({ CANOPY_METRICS_PORT: '0' })],
    ['both are wanted', ['metrics', 'traces'], (url) => ({ ...to(url), CANOPY_METRICS_PORT: '0' })],
  ])('of metrics, traces and object stores what it needs: %s', async (_, wanted, variables) => {
    const list = join(data, 'loaded')
    const server = await startServer({
      CANOPY_DATA: data,
      LOADED: list,
      ...preload(writeLoaded),
      ...variables(collector.url),
    })
    await request(server.port, { method: 'GET', target: '/api/triggers/v1/peek/bell' })
    expect(await server.end()).toBe(0)
    const loaded = await readFile(list, 'utf8')
    expect(loaded).toContain('/dist/main.js')
    expect(Object.entries(parts).flatMap(([part, file]) => (loaded.includes(file) ? [part] : []))).toEqual(wanted)
    // What was not sent yet is sent before the process ends.
    const sent = collector.spans().map(({ name }) => name)
    expect(sent).toEqual(wanted.includes('traces') ? ['triggerOf', 'triggerPeek'] : [])
  })
})
