export * as Installation from './Installation.js'
export { withConfigFile, workingDirectory } from './Installation.js'
export { causeOf, shellWord, visibleJson, visibly } from './terminal.js'
export * as Variable from './Variable.js'
