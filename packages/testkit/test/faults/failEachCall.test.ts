import { describe, expect, it } from 'vitest'
import { asksOfManyCalls, worldOfManyCalls } from '../../../../test/support/src/manyCalls.js'
import { unhandledRejections } from '../../../../test/support/src/unhandledRejections.js'
import { askInProcess } from '../../src/backends/Backend.js'
import { failEachCall, failsHonestly, faultMark } from '../../src/faults.js'
import { memoryPorts } from '../../src/World.js'

const ports = memoryPorts(worldOfManyCalls)

const thrownBy = (answer: Promise<unknown>): Promise<unknown> => answer.catch((thrown: unknown) => ({ thrown }))

describe.each(asksOfManyCalls)('%s', (_, ask) => {
  it('is external, or a tree with one directory unexpanded, whichever call fails with external, and right when none does', async () => {
    const { failed, whole } = await failEachCall(ports, 'fails with external', (failing) => askInProcess(failing)(ask))
    expect(failed.filter((answer) => !failsHonestly(answer, whole))).toEqual([])
    expect(failed.length).toBeGreaterThan(0)
    expect(whole).toEqual(await askInProcess(ports)(ask))
  })

  it.each(['rejects', 'throws', 'returns a task that throws'] as const)(
    'is no answer at all, whichever call %s against its contract, and nothing goes unhandled',
    async (how) => {
      const unhandled = await unhandledRejections(async () => {
        const { failed, whole } = await failEachCall(ports, how, (failing) => thrownBy(askInProcess(failing)(ask)))
        expect(failed).toEqual(failed.map(() => ({ thrown: new Error(faultMark) })))
        expect(failed.length).toBeGreaterThan(0)
        expect(whole).toEqual(await askInProcess(ports)(ask))
      })
      expect(unhandled).toEqual([])
    },
  )
})

describe('the world of many calls', () => {
  it('has answers that take many', async () => {
    const taken = await Promise.all(
      asksOfManyCalls.map(([, ask]) =>
        failEachCall(ports, 'fails with external', (failing) => askInProcess(failing)(ask)),
      ),
    )
    expect(taken.map(({ failed }) => failed.length > 2)).toEqual([true, true, true, true, true, true, true, false])
  })
})
