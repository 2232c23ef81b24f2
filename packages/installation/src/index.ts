export * as Installation from './Installation.js'
export { withConfigFile, workingDirectory } from './Installation.js'
export * as Setting from './Setting.js'
export { causeOf, shellWord, visibleJson, visibly } from './terminal.js'
