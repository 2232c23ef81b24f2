import { TriggerId } from '@canopy/domain'
import { expect, it } from 'vitest'
import { newTriggerId } from '../../src/trigger/newTriggerId.js'

it('a random trigger id never begins with "-", which a command line would take for an option', () => {
  const drawn = ['-AAAAAAAAAAAAAAAAAAAAA', '--------------------AA', 'a-AAAAAAAAAAAAAAAAAAAA']
  const id = newTriggerId({ random: () => () => drawn.shift() ?? 'none left' })()
  expect(id).toBe('a-AAAAAAAAAAAAAAAAAAAA')
  expect(TriggerId.is(id)).toBe(true)
})
