import {
  type Answer,
  type Door,
  deadEntryScenarios,
  faultScenarios,
  type OpenDoor,
  type Scenario,
  scenarios,
  target,
  type World,
} from '@canopy/testkit'
import { answerText } from '../answerText.js'
import { type Check, notRun, outcomeOf, type Problem } from '../Check.js'

const problems = (expected: Answer, got: Answer): ReadonlyArray<Problem> =>
  answerText(expected) === answerText(got)
    ? []
    : [{ what: 'the answer', expected: answerText(expected), got: answerText(got) }]

const unplantable = 'no disk holds such sizes and times'
const needsFaults = 'nothing is locked for root, and no disk has a dead mount by itself'

/** The scenarios through one door, whose worlds are planted when they are first needed. Close them in the end. */
export const scenarioChecks = (
  door: Door,
  holdsFaults: boolean,
): { readonly checks: ReadonlyArray<Check>; readonly close: () => Promise<void> } => {
  const opened = new Map<World, Promise<OpenDoor>>()
  const open = (world: World): Promise<OpenDoor> => {
    const known = opened.get(world) ?? door.open(world)
    opened.set(world, known)
    return known
  }
  const look = async ({ world, ask, answer }: Scenario) =>
    outcomeOf(problems(answer, await (await open(world)).ask(ask)), `GET ${target(ask)}`)
  const check = (scenario: Scenario, whyNot: string | undefined): Check => ({
    suite: `${door.name}, scenarios`,
    name: scenario.name,
    look: async () => (whyNot === undefined ? look(scenario) : notRun(whyNot)),
  })
  return {
    checks: [
      ...scenarios.map((scenario) =>
        check(scenario, scenario.memoryOnly === true && !door.holdsEveryU64 ? unplantable : undefined),
      ),
      ...[...faultScenarios, ...deadEntryScenarios].map((scenario) =>
        check(scenario, holdsFaults ? undefined : needsFaults),
      ),
    ],
    close: async () => {
      for (const outcome of await Promise.allSettled(opened.values()))
        if (outcome.status === 'fulfilled') await outcome.value.close()
    },
  }
}
