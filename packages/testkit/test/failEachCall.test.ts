import { describe, expect, it } from 'vitest'
import { asksOfManyCalls, worldOfManyCalls } from '../../../test/support/src/manyCalls.js'
import { askInProcess } from '../src/backends/Backend.js'
import { failEachCall, failsHonestly, faultMark } from '../src/faults.js'
import { memoryPorts } from '../src/World.js'

const ports = memoryPorts(worldOfManyCalls)

describe.each(asksOfManyCalls)('%s', (_, ask) => {
  it('is external, or a tree with one directory unexpanded, whichever call fails with external, and right when none does', async () => {
    const { failed, whole } = await failEachCall(ports, 'fails with external', (failing) => askInProcess(failing)(ask))
    expect(failed.filter((answer) => !failsHonestly(answer, whole))).toEqual([])
    expect(failed.length).toBeGreaterThan(ask.operation === 'triggerPeek' ? 0 : 2)
    expect(whole).toEqual(await askInProcess(ports)(ask))
  })

  it.each(['rejects', 'throws', 'returns a task that throws'] as const)(
    'is no answer at all, whichever call %s against its contract',
    async (how) => {
      const { failed, whole } = await failEachCall(ports, how, (failing) =>
        askInProcess(failing)(ask).catch((thrown: unknown) => ({ thrown })),
      )
      expect(failed).toEqual(failed.map(() => ({ thrown: new Error(faultMark) })))
      expect(whole).toEqual(await askInProcess(ports)(ask))
    },
  )
})
