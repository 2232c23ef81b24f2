import { Rules, Settings } from '@canopy/domain'
import {
  accessLaws,
  arbitraries,
  memoryRegistry,
  type RegistryPorts,
  type SeedRegistry,
  seedRegistry,
  settingsLaws,
  triggersLaws,
  type World,
} from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import type { Running } from '../engines.js'
import { right } from '../right.js'
import { accessToken, triggerId, user } from '../values.js'

const seeded =
  (running: () => Running): SeedRegistry =>
  async (world) => {
    const url = await running().newRegistry()
    const writer = await right(openRegistryWriter(url))
    await right(seedRegistry(writer)(world))
    await writer.close()
    const registry = await right(openRegistry(url))
    return { ports: registry, close: registry.close }
  }

/** Without functions, which are equal only by identity. */
const plain = E.map((settings: Settings.Settings) => [
  new Map(Settings.entries(settings)),
  new Set(Rules.toRules(Settings.rules(settings))),
])

/** The answers of all ports to the requests that make sense in this world. */
const said = async (ports: RegistryPorts, { accounts, triggers }: World): Promise<ReadonlyArray<unknown>> => {
  const answers: unknown[] = []
  for (const id of ['0', ...accounts.map((account) => account.id)])
    answers.push(await ports.areaOfUser(user(id))(), plain(await ports.settingsOf(user(id))()))
  for (const { token } of accounts.flatMap(({ tokens }) => tokens))
    answers.push(await ports.areaOfToken(accessToken(token))())
  for (const { id } of triggers) answers.push(await ports.triggerOf(triggerId(id))())
  return answers
}

export const lawsHold = (running: () => Running): void => {
  describe.each([...accessLaws, ...settingsLaws, ...triggersLaws])('$name', ({ violations }) => {
    it('holds', async () => {
      expect(await violations(seeded(running))).toEqual([])
    })
  })

  it('a registry answers like the reference in any world', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraries.world(), async (any) => {
        const { ports, close } = await seeded(running)(any)
        const answers = await said(ports, any)
        await close()
        expect(answers).toEqual(await said(memoryRegistry(any), any))
      }),
      { numRuns: 10 },
    )
  })
}
