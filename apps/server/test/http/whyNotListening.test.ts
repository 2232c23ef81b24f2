import { expect, it } from 'vitest'
import { metricsVariables, whyNotListening } from '../../src/http/listen.js'

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
