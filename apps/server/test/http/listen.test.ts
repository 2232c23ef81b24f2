import { networkInterfaces } from 'node:os'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { httpServer } from '../../src/http/connections.js'
import { cannotListen, listen, type RunningServer } from '../../src/http/listen.js'

const hasIpv6 = Object.values(networkInterfaces()).some((of) => of?.some(({ address }) => address === '::1'))

it.runIf(hasIpv6)('an address of IPv6 stands in brackets in the URL', async () => {
  const service = httpServer((_, response) => response.end('heard'), { maxConnections: 1, idleMs: 65_000 })
  const { url, port, stop } = E.getOrElse((problem: string): RunningServer => expect.fail(problem))(
    await listen(service, { host: '::1', port: 0 })(),
  )
  const answer = await fetch(url, { headers: { Connection: 'close' } })
  expect([url, await answer.text()]).toEqual([`http://[::1]:${port}`, 'heard'])
  await stop()
})

const whyNot = cannotListen({ host: '::1', port: 9464 }, 'CANOPY_METRICS')

it.each([
  ['EADDRINUSE', 'listen EADDRINUSE: choose another CANOPY_METRICS_PORT'],
  ['EACCES', 'listen EACCES: choose another CANOPY_METRICS_PORT'],
  ['EADDRNOTAVAIL', 'listen EADDRNOTAVAIL: CANOPY_METRICS_HOST must be an address of this machine'],
  ['EMFILE', 'listen EMFILE'],
  [undefined, 'listen undefined'],
])('%s names the variable to change, where there is one', (code, said) => {
  expect(whyNot(Object.assign(new Error(`listen ${code}`), { code }))).toBe(`cannot listen on ::1:9464: ${said}`)
})
