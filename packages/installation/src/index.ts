export * as Installation from './Installation.js'
export { everyProblem, withConfigFile, workingDirectory } from './Installation.js'
export { causeOf, shellWord, visibly } from './terminal.js'
