import { routes } from '../routes.js'
import { errorResponses, errorsOutside } from './errorResponses.js'
import { headers } from './headers.js'
import { info, tags } from './info.js'
import { type JsonObject, toText } from './Json.js'
import { parameters } from './parameters.js'
import { paths } from './paths.js'
import { probePaths } from './probes.js'
import { schemas } from './schemas.js'

const document: JsonObject = {
  openapi: '3.1.0',
  info,
  // Relative to the document itself, which may stand behind a path prefix.
  servers: [{ url: '.', description: 'Where this document is.' }],
  // Tokens stand in the path, which OpenAPI knows no scheme for.
  security: [],
  tags,
  paths: { ...paths(routes), ...probePaths },
  ...errorsOutside,
  components: { schemas, parameters, headers, responses: errorResponses(routes) },
}

/** The OpenAPI document, as it is served. */
export const documentText: string = toText(document)
