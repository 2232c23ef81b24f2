import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { coreDoor } from '../../src/doors/coreDoor.js'
import { memoryPorts } from '../../src/memory/memoryPorts.js'
import { showingNodes } from '../../src/properties/answerKind.js'
import { modelAgreement } from '../../src/properties/modelAgreement.js'
import * as Tally from '../../src/properties/Tally.js'

const memory = coreDoor('the domain over memory', true, async (world) => ({
  ports: memoryPorts(world),
  close: async () => undefined,
}))

describe('the domain over memory', () => {
  it('answers as the reference model does', async () => {
    const report = await modelAgreement(memory, { requests: 10000, seed: 1, asksPerWorld: 25 })
    console.log(report)
    expect(report.disagreement).toEqual(O.none)
  })
})
