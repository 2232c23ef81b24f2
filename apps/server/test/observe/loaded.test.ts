import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from '@canopy/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plantData } from '../plantData.js'
import { startServer, temporaryData } from '../startServer.js'
import { type Collector, startCollector } from './collector.js'
import { preload } from './preload.js'

/** Writes down, when the process ends, which files of code it has loaded. */
const tellLoaded = `
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
const session = new Session()
const urls = []
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url))
session.post('Debugger.enable')
process.on('exit', () => writeFileSync(process.env.TELL_LOADED, urls.join(' ')))`

/** Where the bundle has prom-client; the name of the file is that of our module which wants it. */
const metrics = '/dist/main-metricsServer.js'
/** Where it has the SDK of object stores. */
const objects = '/dist/main-awsSdk.js'
const traces = '/@opentelemetry/sdk-trace'

describe('a server process', () => {
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

  /** The files that it has loaded by the time it ends. */
  const loaded = async (variables: Readonly<Record<string, string>>): Promise<string> => {
    const list = join(data, 'loaded.json')
    const server = await startServer({
      CANOPY_DATA: data,
      TELL_LOADED: list,
      ...preload(tellLoaded),
      ...variables,
    })
    await request(server.port, { method: 'GET', target: '/api/triggers/v1/peek/bell' })
    expect(await server.end()).toBe(0)
    const text = await readFile(list, 'utf8')
    expect(text).toContain('/pino/')
    expect(text).toContain('/dist/main.js')
    return text
  }

  it('loads neither OpenTelemetry nor prom-client when traces and metrics are off', async () => {
    const found = await loaded({})
    expect(found).not.toContain('/@opentelemetry/')
    expect(found).not.toContain(metrics)
    expect(found).not.toContain('/prom-client/')
  })

  it('does not load the SDK of object stores where the storage is files', async () => {
    expect(await loaded({})).not.toContain(objects)
  })

  it('does not load OpenTelemetry when that is disabled', async () => {
    const disabled = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'true' }
    expect(await loaded(disabled)).not.toContain(traces)
    expect(collector.bodies).toEqual([])
  })

  it('does not load the SDK of OpenTelemetry when metrics are on and traces off', async () => {
    const found = await loaded({ CANOPY_METRICS_PORT: '0' })
    expect(found).toContain(metrics)
    expect(found).not.toContain(traces)
  })

  it('loads both when they are wanted, and sends what is not sent yet before it ends', async () => {
    const found = await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, CANOPY_METRICS_PORT: '0' })
    expect(found).toContain(traces)
    expect(found).toContain(metrics)
    expect(collector.spans().map(({ name }) => name)).toContain('triggerPeek')
  })
})
