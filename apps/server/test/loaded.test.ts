import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { preload, startCollector } from './observe/observing.js'
import { seedData } from './seedData.js'
import { dataOf, startServer } from './startServer.js'

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
const parts = ['metricsServer', 'awsSdk', 'openTelemetry']

const over = dataOf((data) => seedData(data, { accounts: [], triggers: [] }))

it.each<[string, ReadonlyArray<string>, Readonly<Record<string, string>>]>([
  ['disabled traces', [], { OTEL_SDK_DISABLED: 'true' }],
  ['metrics and traces', ['metricsServer', 'openTelemetry'], { CANOPY_METRICS_PORT: '0' }],
])('a server with %s loads the parts %j, and sends its last traces', async (_, wanted, variables) => {
  const collector = await startCollector()
  onTestFinished(collector.stop)
  const [list, traces] = [join(over.data, 'loaded'), { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }]
  const own = { CANOPY_DATA: over.data, LOADED: list, ...preload(writeLoaded), ...traces }
  const server = await startServer({ ...own, ...variables })
  await server.get('/api/triggers/v1/peek/bell')
  expect(await server.end()).toBe(0)
  const loaded = await readFile(list, 'utf8')
  expect(parts.filter((part) => loaded.includes(`/dist/main-${part}.js`))).toEqual(wanted)
  const sent = collector.spans().map(({ name }) => name)
  expect(sent).toEqual(wanted.includes('openTelemetry') ? ['triggerOf', 'triggerPeek'] : [])
})
