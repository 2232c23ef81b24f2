export * as HttpError from './HttpError.js'
export * as Route from './Route.js'
export {
  headProblem,
  isReadMethod,
  maxHeaders,
  parseBounds,
  parsePage,
  parseTarget,
  parseZip,
  type RequestTarget,
} from './request.js'
export {
  allowedMethods,
  everyResponse,
  type Headers,
  jsonType,
  linkToNextPage,
  preflight,
  privateResponse,
} from './responseHeaders.js'
