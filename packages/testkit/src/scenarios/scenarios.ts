import { boundScenarios } from './boundScenarios.js'
import { errorScenarios } from './errorScenarios.js'
import { pathScenarios } from './pathScenarios.js'
import type { Scenario } from './Scenario.js'
import { visibilityScenarios } from './visibilityScenarios.js'

/** The interface and the decisions, sentence by sentence, as questions and exact answers. */
export const scenarios: ReadonlyArray<Scenario> = [
  ...errorScenarios,
  ...pathScenarios,
  ...visibilityScenarios,
  ...boundScenarios,
]
