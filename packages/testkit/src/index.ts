/// <reference types="node" preserve="true" />
// The testkit's door.

export { type Ask, target } from './Ask.js'
export * as arbitraries from './arbitraries/arbitraries.js'
export * as BaseUrl from './doors/BaseUrl.js'
export { coreDoor } from './doors/coreDoor.js'
export type { Door, OpenDoor } from './doors/Door.js'
export { type Difference, differences, type Reading } from './doors/differences.js'
export { httpDoor } from './doors/httpDoor.js'
export { askInProcess } from './doors/inProcess.js'
export { checkHttp, checkOverHttp, overHttp, wholeAnswer } from './doors/overHttp.js'
export { headerOf, type RawRequest, type RawResponse, request, type Service, sendRaw } from './doors/rawHttp.js'
export { type BrowsersToTest, browsersToTest } from './engines/browsersToTest.js'
export { findPostgres } from './engines/findPostgres.js'
export { type FoldingStorage, findFuse, startFoldingStorage } from './engines/foldingStorage.js'
export { freePort } from './engines/freePort.js'
export { type Postgres, type Standby, startPostgres } from './engines/postgres.js'
export { busyFor } from './eventLoop/busyFor.js'
export { countRounds, type Rounds } from './eventLoop/countRounds.js'
export { failEachCall, type Outcome } from './faults/failEachCall.js'
export { type Failing, failingAt } from './faults/failingAt.js'
export { failsHonestly } from './faults/failsHonestly.js'
export { type FaultName, faultMark, faults } from './faults/faults.js'
export { asksOfManyCalls, worldOfManyCalls } from './faults/manyCalls.js'
export { unhandledRejections } from './faults/unhandledRejections.js'
export { accessLaws } from './laws/accessLaws.js'
export type { Law } from './laws/Law.js'
export type {
  Planted,
  PlantedStorage,
  PlantRegistry,
  PlantStorage,
  Ports,
  RegistryPorts,
  StoragePorts,
} from './laws/Subject.js'
export { settingsLaws } from './laws/settingsLaws.js'
export { storageLaws } from './laws/storageLaws.js'
export { triggersLaws } from './laws/triggersLaws.js'
export { memoryPorts } from './memory/memoryPorts.js'
export { memoryRegistry } from './memory/memoryRegistry.js'
export { memoryStorage } from './memory/memoryStorage.js'
export { jsonText } from './model/jsonText.js'
export { model } from './model/model.js'
export { plantDirectory } from './plant/plantDirectory.js'
export { plantRegistry, type RegistryPlanter } from './plant/plantRegistry.js'
export { uprootDirectory } from './plant/uprootDirectory.js'
export {
  beforeChanges,
  type ListedFile,
  type Readers,
  type StaleAnswers,
  staleAnswers,
} from './properties/changingDirectory.js'
export { keptConnection } from './properties/keptConnection.js'
export { type AgreementReport, type Disagreement, modelAgreement } from './properties/modelAgreement.js'
export { type Interference, type NonInterferenceReport, nonInterference } from './properties/nonInterference.js'
export type { OpenRawDoor, RawDoor } from './properties/RawDoor.js'
export { type SwappedDoor, swappedDoor } from './properties/swappedDoor.js'
export { trimmed, type Welch, welch } from './properties/welch.js'
export type { Conversation, Send } from './scenarios/Conversation.js'
export { conversations } from './scenarios/conversations.js'
export { deadEntryScenarios, faultScenarios } from './scenarios/faultScenarios.js'
export { fixture } from './scenarios/fixture.js'
export type { HttpAnswer, HttpScenario } from './scenarios/HttpScenario.js'
export { httpScenarios } from './scenarios/httpScenarios.js'
export type { Answer, Scenario } from './scenarios/Scenario.js'
export { scenarios } from './scenarios/scenarios.js'
export { tokens as fixtureTokens } from './scenarios/theWorld.js'
export type * from './World.js'
