export * as HttpError from './HttpError.js'
export * as Route from './Route.js'
export {
  headProblem,
  isForLoopback,
  isReadMethod,
  maxHeaders,
  parseItemsBounds,
  parseTarget,
  parseTreeBounds,
  parseZip,
  type RequestTarget,
} from './request.js'
export {
  allowedMethods,
  closedToOtherOrigins,
  commonHeaders,
  everyResponse,
  type Headers,
  jsonType,
  linesType,
  linkToNextPage,
  openToAllOrigins,
  preflight,
} from './responseHeaders.js'
