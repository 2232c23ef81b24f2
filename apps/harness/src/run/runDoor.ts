import { coreDoor } from '@canopy/testkit'
import type { Result } from '../Check.js'
import { type DoorName, openDoor } from '../doors/openDoor.js'
import type { Subjects } from '../doors/Subjects.js'
import { runChecks, type Watch } from '../runChecks.js'
import { lawChecks } from './lawChecks.js'
import { scenarioChecks } from './scenarioChecks.js'
import { type Worlds, worldsCheck } from './worldsCheck.js'

/** So that generated worlds, of which there may be very many, end early as well. */
const unlessInterrupted =
  ({ plantWorld }: Subjects, { isInterrupted }: Watch): Subjects['plantWorld'] =>
  (world) =>
    isInterrupted() ? Promise.reject(new Error('interrupted')) : plantWorld(world)

/** Everything there is to ask of the domain over one set of adapters. Leaves nothing behind. */
export const runDoor = async (name: DoorName, worlds: Worlds, watch: Watch): Promise<ReadonlyArray<Result>> => {
  if (watch.isInterrupted()) return []
  const subjects = await openDoor(name)
  const door = coreDoor(subjects.name, subjects.holdsEveryU64, unlessInterrupted(subjects, watch))
  const scenarios = scenarioChecks(door, subjects.holdsFaults)
  try {
    return await runChecks(watch, [
      ...lawChecks(subjects),
      ...scenarios.checks,
      ...(worlds.worlds === 0
        ? []
        : [worldsCheck(door, subjects.holdsFaults, `canopy-harness run --door ${name}`, worlds)]),
    ])
  } finally {
    await scenarios.close()
    await subjects.close()
  }
}
