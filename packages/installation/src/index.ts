export * as Installation from './Installation.js'
export { type Output, type Parser, type Program, type Reading, readCommandLine } from './readCommandLine.js'
export { problemsOf, variable, wholeNumber } from './variable.js'
export { withConfigFile } from './withConfigFile.js'
