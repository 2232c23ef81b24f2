/// <reference types="node" preserve="true" />
export { type Ask, target } from './Ask.js'
export * as arbitraries from './arbitraries/arbitraries.js'
export { askInProcess, type Backend, coreBackend, type OpenBackend } from './backends/Backend.js'
export * as BaseUrl from './backends/BaseUrl.js'
export { differences, type Reading } from './backends/differences.js'
export { httpBackend, overHttp, wholeAnswer } from './backends/overHttp.js'
export {
  headerOf,
  type RawRequest,
  type RawResponse,
  request,
  responseIn,
  sendRaw,
} from './backends/rawHttp.js'
export {
  type FaultName,
  failEachCall,
  failingAt,
  failsHonestly,
  faultMark,
  faults,
} from './faults.js'
export { accessLaws } from './laws/accessLaws.js'
export type { Law } from './laws/Law.js'
export { settingsLaws } from './laws/settingsLaws.js'
export { storageLaws, storageLawsWithin, type TimeRange } from './laws/storageLaws.js'
export { triggersLaws } from './laws/triggersLaws.js'
export { memoryPorts, memoryRegistry } from './memory/memoryPorts.js'
export { memoryStorage } from './memory/memoryStorage.js'
export { jsonText, model } from './model.js'
export { answerKind, counted, modelAgreement, type Tally } from './modelAgreement.js'
export type {
  Ports,
  RegistryPorts,
  Seeded,
  SeededStorage,
  SeedRegistry,
  SeedStorage,
  StoragePorts,
} from './Ports.js'
export { conversations } from './scenarios/conversations.js'
export { deadEntryScenarios, faultScenarios } from './scenarios/faultScenarios.js'
export { httpScenarios } from './scenarios/httpScenarios.js'
export type { Answer, Conversation, HttpScenario, Scenario } from './scenarios/Scenario.js'
export { fixture, scenarios } from './scenarios/scenarios.js'
export { tokens as fixtureTokens } from './scenarios/theWorld.js'
export { removeDirectory, seedDirectory } from './seed/seedDirectory.js'
export { SeedingFailed } from './seed/seeding.js'
export { type RegistryToSeed, seedRegistry } from './seed/seedRegistry.js'
export type * from './World.js'
