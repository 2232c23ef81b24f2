import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Collector, preload, startCollector } from './observe/observing.js'
import { seedData } from './seedData.js'
import { startServer, temporaryData } from './startServer.js'

/** Writes a list of the loaded code when the process ends. */
const writeLoaded = `
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
const session = new Session()
const urls = []
session.connect()
session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url))
session.post('Debugger.enable')
process.on('exit', () => writeFileSync(process.env.LOADED, urls.join(' ')))`

/** The lazy parts of the bundle. */
const parts = {
  metrics: '/dist/main-metricsServer.js',
  objects: '/dist/main-awsSdk.js',
  traces: '/dist/main-openTelemetry.js',
}

describe('a server process loads', () => {
  let data = ''
  let collector: Collector
  beforeEach(async () => {
    collector = await startCollector()
    data = await temporaryData()
    await seedData(data, { accounts: [], triggers: [] })
  })
  afterEach(async () => {
    await collector.stop()
    await rm(data, { recursive: true })
  })

  const to = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url })

  it.each<[string, ReadonlyArray<keyof typeof parts>, (collector: string) => Readonly<Record<string, string>>]>([
    ['nothing', [], () => ({})],
    ['disabled traces', [], (url) => ({ ...to(url), OTEL_SDK_DISABLED: 'true' })],
    ['metrics', ['metrics'], () => ({ CANOPY_METRICS_PORT: '0' })],
    ['metrics and traces', ['metrics', 'traces'], (url) => ({ ...to(url), CANOPY_METRICS_PORT: '0' })],
  ])('only the configured parts: %s', async (_, wanted, variables) => {
    const list = join(data, 'loaded')
    const own = { CANOPY_DATA: data, LOADED: list, ...preload(writeLoaded) }
    const server = await startServer({ ...own, ...variables(collector.url) })
    await server.get('/api/triggers/v1/peek/bell')
    expect(await server.end()).toBe(0)
    const loaded = await readFile(list, 'utf8')
    expect(loaded).toContain('/dist/main.js')
    expect(Object.entries(parts).flatMap(([part, file]) => (loaded.includes(file) ? [part] : []))).toEqual(wanted)
    // The process sends its last traces before it ends.
    const sent = collector.spans().map(({ name }) => name)
    expect(sent).toEqual(wanted.includes('traces') ? ['triggerOf', 'triggerPeek'] : [])
  })
})

describe('the bundle', () => {
  it('serves the benchmarks and long checks', async () => {
    const services = new URL('../bench/services.mjs', import.meta.url).href
    const script = `
      const { serveFiles } = await import(${JSON.stringify(services)})
      const { port, close } = await serveFiles({ accounts: [], triggers: [] })
      const answer = await fetch('http://127.0.0.1:' + port + '/api/usercontent/v1/tree/id/1')
      console.log(answer.status)
      await close()`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
    expect(stdout).toBe('403\n')
  })
})
