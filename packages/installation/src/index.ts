export {
  causeOf,
  type Output,
  type Parser,
  type Program,
  type Reading,
  readCommandLine,
  shellWord,
  versionIn,
  visibly,
  writeOut,
} from './commandLine.js'
export * as Installation from './Installation.js'
export { everyProblem, problemsOf, variable, wholeNumber, withConfigFile, workingDirectory } from './Installation.js'
