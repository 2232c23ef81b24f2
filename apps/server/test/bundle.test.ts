import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const dist = new URL('../dist/', import.meta.url)

const textOf = (name: string): string => readFileSync(new URL(name, dist), 'utf8')

const names = (): ReadonlyArray<string> => readdirSync(dist).filter((name) => /^main.*\.js$/.test(name))

const bundled = (): string => names().map(textOf).join('\n')

describe('the bundle', () => {
  it('takes fp-ts and io-ts as modules: as CommonJS each function is looked up by name whenever it is used', () => {
    expect(new Set(bundled().match(/\b(?:fp-ts|io-ts)\/(?:lib|es6)\b/g))).toEqual(new Set(['fp-ts/es6', 'io-ts/es6']))
  })

  it('has prom-client where metrics are, and asks for OpenTelemetry there and where traces are, nowhere else', () => {
    const having = (text: RegExp) => names().filter((name) => text.test(textOf(name)))
    expect(having(/\/prom-client\/lib\/|['"]prom-client['"]/)).toEqual(['main-metricsServer.js'])
    expect(having(/['"]@opentelemetry\//)).toEqual(['main-metricsServer.js', 'main-openTelemetry.js'])
  })

  it('has the SDK of object stores in a file of its own, with all that it needs', () => {
    const inside = names().filter((name) => textOf(name).includes('/@aws-sdk/client-s3/'))
    expect(inside).toEqual(['main-awsSdk.js'])
    const asked = [...textOf('main-awsSdk.js').matchAll(/^\s*(?:import|export)\b.*['"](.+)['"]/gm)].map(
      ([, name]) => name,
    )
    expect(asked).toEqual(['./main-rolldown-runtime.js'])
  })

  it('has source maps beside it that name our TypeScript files', () => {
    const mapOf = (name: string): { readonly sources: ReadonlyArray<string> } => JSON.parse(textOf(`${name}.map`))
    // A part that only imports others has none.
    const hasCode = (name: string): boolean =>
      textOf(name)
        .split('\n')
        .some((line) => !/^(import |export |$)/.test(line))
    const parts = [...names(), 'reader.js'].filter((name) => name !== 'main-rolldown-runtime.js' && hasCode(name))
    expect(parts.map((name) => textOf(name).trimEnd().split('\n').at(-1))).toEqual(
      parts.map((name) => `//# sourceMappingURL=${name}.map`),
    )
    const ours = parts.flatMap((name) => mapOf(name).sources).filter((source) => !source.includes('/node_modules/'))
    expect(ours).toEqual(expect.arrayContaining(['../src/main.ts', '../../../packages/domain/src/StoragePath.ts']))
    expect(ours.filter((source) => source.includes('/dist/') || !existsSync(new URL(source, dist)))).toEqual([])
  })

  it('gives stack traces that name TypeScript lines when Node is asked for them', () => {
    const failing = "data:text/javascript,process.stderr.write=()=>{throw new Error('no stderr')}"
    const main = fileURLToPath(new URL('main.js', dist))
    const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', '--import', failing, main, 'misused'], {
      encoding: 'utf8',
    })
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
