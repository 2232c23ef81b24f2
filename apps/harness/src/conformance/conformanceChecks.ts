import {
  type Conversation,
  conversations,
  differences,
  type HttpScenario,
  httpScenarios,
  overHttp,
  scenarios,
  wholeAnswer,
} from '@canopy/testkit'
import { type Check, notRun, outcomeOf } from '../Check.js'
import * as Asking from './Asking.js'
import { again } from './again.js'

const ofScenario = (asking: Asking.Asking, suite: string, scenario: HttpScenario): Check => ({
  suite,
  name: scenario.name,
  look: async () =>
    outcomeOf(
      differences(wholeAnswer(scenario), await Asking.send(asking)(scenario.request), asking.reading),
      again(asking.service, scenario.request),
    ),
})

const ofConversation = (asking: Asking.Asking, { name, violations }: Conversation): Check => ({
  suite: 'conversations',
  name,
  look: async () => outcomeOf((await violations(Asking.send(asking))).map((what) => ({ what }))),
})

const unplantable = async () => notRun('no disk holds such sizes and times: plant them and say --every-u64')

/** Everything the interface and the decisions say, asked of a service that has planted the fixture. */
export const conformanceChecks = (asking: Asking.Asking, everyU64: boolean): ReadonlyArray<Check> => [
  ...scenarios.map((scenario) => {
    const check = ofScenario(asking, 'scenarios', overHttp(scenario))
    return scenario.memoryOnly === true && !everyU64 ? { ...check, look: unplantable } : check
  }),
  ...httpScenarios.map((scenario) => ofScenario(asking, 'scenarios of HTTP', scenario)),
  ...conversations.map((conversation) => ofConversation(asking, conversation)),
]
