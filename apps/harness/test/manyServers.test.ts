import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, nginxIsTested, postgresIsTested, startNginx, startPostgres } from '@canopy/test-support'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../server/test/startServer.js'
import { freshDirectory, spawned } from './harnessIn.js'

const isTested = nginxIsTested && postgresIsTested
if (!isTested) console.warn('Many servers behind a proxy are not tested: apt-get install nginx postgresql')

const page = (name: string): Promise<string> => readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')

/** The documented configuration without addresses, names and TLS. */
const asDocumented = async (ports: ReadonlyArray<number>) => {
  const [proxy, many] = [await page('proxy'), await page('many-servers')]
  const server = /^ {4}server \{\n {6}listen 443 ssl http2;[\s\S]*?^ {4}\}\n/m.exec(proxy)?.[0] ?? ''
  const upstream = /^ {4}upstream canopy \{[\s\S]*?^ {4}\}\n {4}proxy_next_upstream .*\n/m.exec(many)?.[0] ?? ''
  const addresses = ports.reduce(
    (text, port, at) => text.replace(`10.0.0.${at + 1}:8080`, `127.0.0.1:${port}`),
    upstream,
  )
  expect(addresses).not.toContain('10.0.0')
  return (port: number): string => {
    const plain = server
      .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
      .replaceAll(/^ +(ssl_|access_log|error_log).*$/gm, '')
    return `access_log off; error_log stderr crit; ${addresses} ${plain}`
  }
}

const timeout = 600_000

it.runIf(isTested)('three servers behind nginx answer as one while each is killed in turn', { timeout }, async () => {
  const data = join(await freshDirectory(), 'data')
  await mkdir(data)
  const postgres = await startPostgres()
  onTestFinished(postgres.stop)
  const variables = { CANOPY_DATA: data, CANOPY_REGISTRY: await postgres.newDatabase(), CANOPY_FAILED_LOOKUPS: '0' }
  expect((await spawned(['fixture'], variables)).exit).toBe(0)
  const ports = [await freePort(), await freePort(), await freePort()]
  const start = (port: number) => startServer({ ...variables, CANOPY_PORT: `${port}` })
  const servers = await Promise.all(ports.map(start))
  const nginx = await startNginx(await asDocumented(ports))
  onTestFinished(async () => {
    await nginx.stop()
    await Promise.all(servers.map(({ end }) => end('SIGKILL')))
  })

  let killed = 0
  const state = { asking: true }
  const killing = async (): Promise<void> => {
    while (state.asking) {
      const at = killed % servers.length
      await servers[at]?.end('SIGKILL')
      killed += 1
      servers[at] = await start(ports[at] ?? 0)
      // The next server must answer requests of the killed one before it is killed too. A deep tree takes seconds.
      await sleep(10_000)
    }
  }
  const kills = killing()
  const url = [`http://127.0.0.1:${nginx.port}`, '--proxied']
  const requests = process.env['CANOPY_TEST'] === 'long' ? '20000' : '500'
  /** Until each server was killed once, at least. */
  const model = async (): ReturnType<typeof spawned> => {
    const report = await spawned(['model', ...url, '--requests', requests])
    return report.exit === 0 && killed < servers.length ? model() : report
  }
  const reports = await Promise.all([
    // nginx asks for the path of a whole URL, as a proxy must.
    spawned(['conformance', ...url, '--skip', 'a whole URL as target is refused']),
    model(),
  ])
  state.asking = false
  await kills
  expect(reports.map(({ exit, stdout }) => (exit === 0 ? 'well' : stdout))).toEqual(['well', 'well'])
  expect(killed).toBeGreaterThanOrEqual(servers.length)
})
