// The testkit's door.
export { type Ask, target } from './Ask.js'
export { coreDoor } from './doors/coreDoor.js'
export type { Door, OpenDoor } from './doors/Door.js'
export { httpDoor } from './doors/httpDoor.js'
export { askInProcess } from './doors/inProcess.js'
export { checkHttp, checkOverHttp } from './doors/overHttp.js'
export { headerOf, type RawRequest, type RawResponse, request, sendRaw } from './doors/rawHttp.js'
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
export { memoryPorts } from './memory/memoryPorts.js'
export { model } from './model/model.js'
export { plantDirectory } from './plant/plantDirectory.js'
export { plantRegistry, type RegistryPlanter } from './plant/plantRegistry.js'
export { uprootDirectory } from './plant/uprootDirectory.js'
export type { HttpAnswer, HttpScenario } from './scenarios/HttpScenario.js'
export { httpScenarios } from './scenarios/httpScenarios.js'
export type { Answer, Scenario } from './scenarios/Scenario.js'
export { scenarios } from './scenarios/scenarios.js'
export type * from './World.js'
