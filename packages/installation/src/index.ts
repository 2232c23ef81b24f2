export * as Installation from './Installation.js'
export { problemsOf, variable, wholeNumber } from './variable.js'
