import type { operations } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import type { RequestTarget } from './request.js'

/** The name of one of the five operations. */
export type Operation = keyof typeof operations

/** The segment after the prefix. Tokens and trigger ids are secrets. */
export type Credential = 'token' | 'user id' | 'trigger'

/** The routes of files, beside the operations. */
export type FileRoute = 'storageFile' | 'userContentFile'

/** The address of one operation, or of files: the prefix, the credential and, if it takes one, the path. */
export interface Route<Name extends Operation | FileRoute = Operation | FileRoute> {
  readonly operation: Name
  /** The target up to the credential. */
  readonly prefix: string
  readonly credential: Credential
  readonly takesPath: boolean
}

/** The raw parameters of a route, not decoded, because the domain decodes them. */
export interface RouteParams {
  /** The token, the user id or the trigger id: one segment. */
  readonly credential: string
  /** The rest of the target's path: empty, or from the slash after the credential. */
  readonly path: string
  readonly query: string
}

/** The route of a request, with its parameters. */
export interface Match {
  readonly route: Route
  readonly params: RouteParams
}

/** The five operations, in the order of docs/http-api.md. */
export const routes: { readonly [Name in Operation]: Route<Name> } = {
  storageTree: { operation: 'storageTree', prefix: '/api/storage/v1/tree/', credential: 'token', takesPath: true },
  userContentTree: {
    operation: 'userContentTree',
    prefix: '/api/usercontent/v1/tree/id/',
    credential: 'user id',
    takesPath: true,
  },
  storageDirItems: {
    operation: 'storageDirItems',
    prefix: '/api/storage/v1/diritems/',
    credential: 'token',
    takesPath: true,
  },
  userContentDirItems: {
    operation: 'userContentDirItems',
    prefix: '/api/usercontent/v1/diritems/id/',
    credential: 'user id',
    takesPath: true,
  },
  triggerPeek: { operation: 'triggerPeek', prefix: '/api/triggers/v1/peek/', credential: 'trigger', takesPath: false },
}

/** A file or, with `?zip`, a directory as an archive. */
export const fileRoutes: { readonly [Name in FileRoute]: Route<Name> } = {
  storageFile: { operation: 'storageFile', prefix: '/files/token/', credential: 'token', takesPath: true },
  userContentFile: { operation: 'userContentFile', prefix: '/files/id/', credential: 'user id', takesPath: true },
}

/** The `Cache-Control` of a successful response. */
export const cacheControl: { readonly [Kind in Credential]: string } = {
  token: 'private, no-cache',
  'user id': 'public, no-cache',
  trigger: 'no-store',
}

/**
 * Returns the parameters of a target, if it belongs to the route. Routers decode their parameters leniently and take `%2F` for
 * a separator everywhere; here it ends neither a token nor an id.
 */
export const params = (route: Route, { path: target, query }: RequestTarget): O.Option<RouteParams> => {
  if (!target.startsWith(route.prefix)) return O.none
  const rest = target.slice(route.prefix.length)
  const end = rest.includes('/') ? rest.indexOf('/') : rest.length
  const [credential, path] = [rest.slice(0, end), rest.slice(end)]
  return credential !== '' && (route.takesPath || path === '') ? O.some({ credential, path, query }) : O.none
}
