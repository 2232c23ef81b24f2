import { coreDoor } from '@canopy/testkit'
import type { Result } from '../Check.js'
import { type DoorName, openDoor } from '../doors/openDoor.js'
import { type Progress, runChecks } from '../runChecks.js'
import { lawChecks } from './lawChecks.js'
import { scenarioChecks } from './scenarioChecks.js'
import { type Worlds, worldsCheck } from './worldsCheck.js'

/** Everything there is to ask of the domain over one set of adapters. Leaves nothing behind. */
export const runDoor = async (name: DoorName, worlds: Worlds, progress: Progress): Promise<ReadonlyArray<Result>> => {
  const subjects = await openDoor(name)
  const door = coreDoor(subjects.name, subjects.holdsEveryU64, subjects.plantWorld)
  const scenarios = scenarioChecks(door)
  try {
    return await runChecks(progress, [
      ...lawChecks(subjects),
      ...scenarios.checks,
      ...(worlds.worlds === 0 ? [] : [worldsCheck(door, `canopy-harness run --door ${name}`, worlds)]),
    ])
  } finally {
    await scenarios.close()
    await subjects.close()
  }
}
