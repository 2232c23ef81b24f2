import { expect, it } from 'vitest'
import { saidForMetrics, whyNotListening } from '../../src/connection/whyNotListening.js'

const failed = (code: string): Error => Object.assign(new Error(`listen ${code}`), { code })

it.each([
  ['EADDRINUSE', 'listen EADDRINUSE: choose another CANOPY_METRICS_PORT'],
  ['EACCES', 'listen EACCES: choose another CANOPY_METRICS_PORT'],
  ['EADDRNOTAVAIL', 'listen EADDRNOTAVAIL: CANOPY_METRICS_HOST must be an address of this machine'],
  ['EMFILE', 'listen EMFILE'],
])('%s names the variable to change, where there is one', (code, said) => {
  expect(whyNotListening(failed(code), saidForMetrics)).toBe(said)
})

it('what has no code is said as it is', () => {
  expect(whyNotListening(new Error('no'), saidForMetrics)).toBe('no')
})
