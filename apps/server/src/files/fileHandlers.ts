import { type Failure, type File, fileOperations } from '@canopy/domain'
import { HttpError, parseZip, type Route } from '@canopy/http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { HttpResponse } from '../http/HttpResponse.js'
import type { Handler, HandlerEnv } from '../operationHandlers.js'
import type { AllPorts } from '../ports.js'
import { download } from './download.js'
import { fileHeaders } from './fileHeaders.js'
import { selectBytes } from './selectBytes.js'

type Open = (request: {
  readonly credential: string
  readonly path: string
  readonly signal: AbortSignal
}) => RTE.ReaderTaskEither<AllPorts, HttpError.HttpError, File<Failure.OfAccess>>

const files =
  (credential: Route.Credential, open: Open): Handler =>
  (params) =>
  (env) =>
    pipe(
      TE.fromEither(parseZip(params.query)),
      TE.flatMap(() => open({ ...params, signal: env.context.signal })(env.ports)),
      TE.flatMapEither((file) => respond(env, credential, file)),
    )

const respond = (
  { context, downloads, metrics }: HandlerEnv,
  credential: Route.Credential,
  file: File<Failure.OfAccess>,
): E.Either<HttpError.HttpError, HttpResponse> => {
  const headers = fileHeaders(credential, file)
  const { method, headers: request } = context.request
  const selection = selectBytes(method, request, file.size, headers)
  if (selection === 304) return E.right({ status: 304, headers, body: { is: 'empty' } })
  if (selection === 416) return E.left(HttpError.rangeNotSatisfiable(file.size))
  const { status, start, end } = selection
  const range = status === 206 ? { 'Content-Range': `bytes ${start}-${end - 1n}/${file.size}` } : {}
  const response = { status, headers: { ...headers, ...range, 'Content-Length': `${end - start}` } }
  if (context.isHead || start === end) return E.right({ ...response, body: { is: 'empty' } })
  if (!downloads.begin(context.signal)) return E.left(HttpError.overloaded)
  metrics?.beganDownload(status === 206 ? 'range' : 'file')
  return E.right({ ...response, body: { is: 'download', stream: download(context, file, selection, metrics) } })
}

/** Files and archives over HTTP. */
export const fileHandlers: { readonly [Name in Route.FileRoute]: Handler } = {
  storageFile: files('token', ({ credential, ...request }) =>
    fileOperations.storageFile({ token: credential, ...request }),
  ),
  userContentFile: files('user id', ({ credential, ...request }) =>
    fileOperations.userContentFile({ user: credential, ...request }),
  ),
}
