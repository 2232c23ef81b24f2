export * as Installation from './Installation.js'
export { withConfigFile, workingDirectory } from './Installation.js'
export { reasonOf, shellWord, visibleJson, visibly } from './terminal.js'
export * as Variable from './Variable.js'
