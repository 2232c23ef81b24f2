// The testkit's door.
export { type Ask, target } from './Ask.js'
export { askInProcess } from './doors/inProcess.js'
export { checkOverHttp } from './doors/overHttp.js'
export { headerOf, type RawRequest, type RawResponse, request, sendRaw } from './doors/rawHttp.js'
export type { Law } from './laws/Law.js'
export type {
  PlantedStorage,
  Planted,
  PlantRegistry,
  PlantStorage,
  Ports,
  RegistryPorts,
  StoragePorts,
} from './laws/Subject.js'
export { memoryPorts } from './memory/memoryPorts.js'
export type { Answer, Scenario } from './scenarios/Scenario.js'
export { scenarios } from './scenarios/scenarios.js'
export type * from './World.js'
