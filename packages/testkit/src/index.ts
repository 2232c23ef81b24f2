/// <reference types="node" preserve="true" />

export * as arbitraries from './arbitraries/arbitraries.js'
export { askInProcess, type Backend, coreBackend, type OpenBackend } from './backends/Backend.js'
export { collectLines } from './backends/collectLines.js'
export { type Comparison, differences, httpBackend, overHttp } from './backends/overHttp.js'
export {
  baseUrlFromString,
  baseUrlToText,
  headerOf,
  type RawRequest,
  type RawResponse,
  request,
  responseIn,
  sendRaw,
  targetBehind,
} from './backends/rawHttp.js'
export {
  type FaultName,
  failEachCall,
  failsHonestly,
  faultMark,
  faults,
} from './faults.js'
export { type Interleaved, interleavings } from './interleavings/interleavings.js'
export { accessLaws } from './laws/accessLaws.js'
export { changeLaws } from './laws/changeLaws.js'
export { fileLaws, type SeededFiles, type SeedFiles } from './laws/fileLaws.js'
export type { Law } from './laws/Law.js'
export { settingsLaws, triggersLaws } from './laws/registryLaws.js'
export { type StorageRange, storageLaws, storageLawsWithin } from './laws/storageLaws.js'
export { memoryPorts, memoryRegistry, memoryStorage, mutableMemory } from './memoryPorts.js'
export { jsonText, model } from './model.js'
export { answerKind, counted, modelAgreement, type Tally } from './modelAgreement.js'
export { conversations } from './scenarios/conversations.js'
export { deadEntryScenarios, faultScenarios } from './scenarios/errorScenarios.js'
export { fileScenarios } from './scenarios/fileScenarios.js'
export { httpScenarios } from './scenarios/httpScenarios.js'
export {
  type Answer,
  type Ask,
  type Conversation,
  type HttpScenario,
  requestOf,
  type Scenario,
  target,
} from './scenarios/Scenario.js'
export { fixture, scenarios } from './scenarios/scenarios.js'
export { tokens as fixtureTokens } from './scenarios/theWorld.js'
export { type RegistryToSeed, removeDirectory, SeedingFailed, seedDirectory, seedRegistry } from './seed.js'
export type * from './World.js'
export {
  type ChangingStorage,
  dir,
  type FilePorts,
  file,
  type Ports,
  type RegistryPorts,
  type Seeded,
  type SeededStorage,
  type SeedRegistry,
  type SeedStorage,
  type StoragePorts,
  settingsOf,
  textFile,
  withNode,
} from './World.js'
