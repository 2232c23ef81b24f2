export * as HttpError from './HttpError.js'
export * as Route from './Route.js'
export {
  headProblem,
  isReadMethod,
  maxHeaders,
  parseBounds,
  parseLineBounds,
  parsePage,
  parseTarget,
  type RequestTarget,
} from './request.js'
export {
  allowedMethods,
  everyResponse,
  type Headers,
  jsonType,
  linesType,
  linkToNextPage,
  preflight,
  privateResponse,
} from './responseHeaders.js'
