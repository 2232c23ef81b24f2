import { networkInterfaces } from 'node:os'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { httpServer } from '../../src/http/connections.js'
import { listen, metricsVariables, type RunningServer, whyNotListening } from '../../src/http/listen.js'

const hasIpv6 = Object.values(networkInterfaces()).some((of) => of?.some(({ address }) => address === '::1'))

it.runIf(hasIpv6)('an address of IPv6 stands in brackets in the URL', async () => {
  const service = httpServer((_, response) => response.end('heard'), { maxConnections: 1, idleMs: 65_000 })
  const { url, port, stop } = E.getOrElse((error: Error): RunningServer => expect.fail(error.message))(
    await listen(service, { host: '::1', port: 0 })(),
  )
  const answer = await fetch(url, { headers: { Connection: 'close' } })
  expect([url, await answer.text()]).toEqual([`http://[::1]:${port}`, 'heard'])
  await stop()
})

const failed = (code: string): Error => Object.assign(new Error(`listen ${code}`), { code })

it.each([
  ['EADDRINUSE', 'listen EADDRINUSE: choose another CANOPY_METRICS_PORT'],
  ['EACCES', 'listen EACCES: choose another CANOPY_METRICS_PORT'],
  ['EADDRNOTAVAIL', 'listen EADDRNOTAVAIL: CANOPY_METRICS_HOST must be an address of this machine'],
  ['EMFILE', 'listen EMFILE'],
])('%s names the variable to change, where there is one', (code, said) => {
  expect(whyNotListening(failed(code), metricsVariables)).toBe(said)
})

it('what has no code is said as it is', () => {
  expect(whyNotListening(new Error('no'), metricsVariables)).toBe('no')
})
