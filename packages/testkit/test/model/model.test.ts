import { describe, expect, it } from 'vitest'
import { model } from '../../src/model.js'
import { scenarios } from '../../src/scenarios/scenarios.js'

describe('the reference model', () => {
  const told = scenarios.filter(({ ask }) => !(ask.operation === 'triggerPeek' && ask.credential === 'broken'))

  it.each(told)('$name', ({ world, ask, answer }) => {
    expect(model(world, ask)).toEqual(answer)
  })
})
