import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Collector, preload, startCollector } from './observe/observing.js'
import { seedData } from './seedData.js'
import { main, startServer, temporaryData } from './startServer.js'

const dist = new URL('../dist/', import.meta.url)

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
    ['nothing is wanted', [], () => ({})],
    ['traces are disabled', [], (url) => ({ ...to(url), OTEL_SDK_DISABLED: 'true' })],
    ['metrics are wanted', ['metrics'], () => ({ CANOPY_METRICS_PORT: '0' })],
    ['both are wanted', ['metrics', 'traces'], (url) => ({ ...to(url), CANOPY_METRICS_PORT: '0' })],
  ])('of metrics, traces and object stores what it needs: %s', async (_, wanted, variables) => {
    const list = join(data, 'loaded')
    const own = { CANOPY_DATA: data, LOADED: list, ...preload(writeLoaded) }
    const server = await startServer({ ...own, ...variables(collector.url) })
    await server.get('/api/triggers/v1/peek/bell')
    expect(await server.end()).toBe(0)
    const loaded = await readFile(list, 'utf8')
    expect(loaded).toContain('/dist/main.js')
    expect(Object.entries(parts).flatMap(([part, file]) => (loaded.includes(file) ? [part] : []))).toEqual(wanted)
    // What was not sent yet is sent before the process ends.
    const sent = collector.spans().map(({ name }) => name)
    expect(sent).toEqual(wanted.includes('traces') ? ['triggerOf', 'triggerPeek'] : [])
  })
})

describe('the bundle', () => {
  const names = readdirSync(dist).filter((name) => /^main.*\.js$/.test(name))
  const textOf = (name: string): string => readFileSync(new URL(name, dist), 'utf8')

  it('takes fp-ts and io-ts as modules: as CommonJS each function is looked up by name whenever it is used', () => {
    const taken = names
      .map(textOf)
      .join('\n')
      .match(/\b(?:fp-ts|io-ts)\/(?:lib|es6)\b/g)
    expect(new Set(taken)).toEqual(new Set(['fp-ts/es6', 'io-ts/es6']))
  })

  it('has prom-client and the SDK of object stores in the files that are loaded for them, nowhere else', () => {
    const having = (text: RegExp) => names.filter((name) => text.test(textOf(name)))
    expect(having(/\/prom-client\/lib\/|['"]prom-client['"]/)).toEqual(['main-metricsServer.js'])
    expect(having(/\/@aws-sdk\/client-s3\//)).toEqual(['main-awsSdk.js'])
  })

  it('has source maps beside it that name our TypeScript files', () => {
    // A part that only imports others has none.
    const hasCode = (name: string): boolean => /^(?!import |export |\/\/|$)/m.test(textOf(name))
    const all = [...names, 'reader.js'].filter((name) => name !== 'main-rolldown-runtime.js' && hasCode(name))
    expect(all.map((name) => textOf(name).trimEnd().split('\n').at(-1))).toEqual(
      all.map((name) => `//# sourceMappingURL=${name}.map`),
    )
    const sources = all.flatMap((name): ReadonlyArray<string> => JSON.parse(textOf(`${name}.map`)).sources)
    const ours = sources.filter((source) => !source.includes('/node_modules/'))
    expect(ours).toEqual(expect.arrayContaining(['../src/main.ts', '../../../packages/domain/src/StoragePath.ts']))
    expect(ours.filter((source) => source.includes('/dist/') || !existsSync(new URL(source, dist)))).toEqual([])
  })

  it('gives stack traces that name TypeScript lines when Node is asked for them', () => {
    const failing = "data:text/javascript,process.stderr.write=()=>{throw new Error('no stderr')}"
    const words = ['--enable-source-maps', '--import', failing, main, 'misused']
    const { stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    expect(stderr).toMatch(/apps\/server\/src\/main\.ts:\d+:\d+/)
  })

  it('is what the services of the benchmarks and long checks start from, and answer', async () => {
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
