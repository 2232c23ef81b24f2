import { type Archive, type Failure, type File, fileOperations, type Signal, type Tree } from '@canopy/domain'
import { type Headers, HttpError, parseTreeBounds, parseZip, type Route } from '@canopy/http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { HttpResponse } from '../http/HttpResponse.js'
import type { Handler, HandlerEnv } from '../operationHandlers.js'
import type { AllPorts } from '../ports.js'
import { archive, maxArchiveNodes } from './archive.js'
import { archiveEntries } from './archiveEntries.js'
import { download } from './download.js'
import { archiveHeaders, fileHeaders } from './fileHeaders.js'
import { selectBytes } from './selectBytes.js'

interface FileRequest {
  readonly credential: string
  readonly path: string
  readonly signal: Signal
}

type Opens<A> = RTE.ReaderTaskEither<AllPorts, Failure.Failure, A>

/** How the clients of one route open a file and an archive. */
interface Opening {
  readonly credential: Route.Credential
  readonly file: (request: FileRequest) => Opens<File<Failure.OfAccess>>
  readonly archive: (request: FileRequest, bounds: Tree.Bounds) => Opens<Archive<Failure.OfAccess>>
}

type Responding = TE.TaskEither<HttpError.HttpError, HttpResponse>

const handler =
  (opening: Opening): Handler =>
  (params) =>
  (env) => {
    const request = { ...params, signal: env.context.signal }
    return pipe(
      TE.fromEither(parseZip(params.query)),
      TE.flatMap((isArchive) =>
        isArchive ? respondWithArchive(env, opening, request) : respondWithFile(env, opening, request),
      ),
    )
  }

const respondWithFile = (env: HandlerEnv, opening: Opening, request: FileRequest): Responding =>
  pipe(
    opening.file(request)(env.ports),
    TE.flatMapEither((file) => fileResponse(env, fileHeaders(opening.credential, file), file)),
  )

const fileResponse = (
  env: HandlerEnv,
  headers: Headers,
  file: File<Failure.OfAccess>,
): E.Either<HttpError.HttpError, HttpResponse> => {
  const { context, metrics } = env
  const selection = selectBytes(context.request.method, context.request.headers, file.size, headers)
  if (selection === 304) return E.right({ status: 304, headers, body: { is: 'empty' } })
  if (selection === 416) return E.left(HttpError.rangeNotSatisfiable(file.size))
  const { status, start, end } = selection
  const range: Headers = status === 206 ? { 'Content-Range': `bytes ${start}-${end - 1n}/${file.size}` } : {}
  const head = { status, headers: { ...headers, ...range, 'Content-Length': `${end - start}` } }
  if (start === end) return E.right({ ...head, body: { is: 'empty' } })
  return begin(env, head, status === 206 ? 'range' : 'file', () => download(context, file, selection, metrics))
}

const respondWithArchive = (env: HandlerEnv, opening: Opening, request: FileRequest): Responding => {
  const { context, metrics, ports, treeNodes } = env
  return pipe(
    TE.fromEither(parseTreeBounds(Math.min(treeNodes, maxArchiveNodes))('')),
    TE.flatMap((bounds) => opening.archive(request, bounds)(ports)),
    TE.bindTo('opened'),
    TE.bindW(
      'entries',
      ({ opened }) =>
        () =>
          archiveEntries(opened.tree, request.signal),
    ),
    TE.flatMapEither(({ opened, entries }) => {
      const head = { status: 200, headers: archiveHeaders(opening.credential, opened.tree.name) }
      return begin(env, head, 'archive', () => archive(context, opened, entries, metrics))
    }),
  )
}

/** Begins a download, unless the request is HEAD or too many downloads are in progress. */
const begin = (
  { context, downloads, metrics }: HandlerEnv,
  head: Omit<HttpResponse, 'body'>,
  kind: 'file' | 'range' | 'archive',
  stream: () => ReturnType<typeof download>,
): E.Either<typeof HttpError.overloaded, HttpResponse> => {
  if (context.isHead) return E.right({ ...head, body: { is: 'empty' } })
  if (!downloads.begin(context.signal)) return E.left(HttpError.overloaded)
  metrics?.beganDownload(kind)
  return E.right({ ...head, body: { is: 'download', stream: stream() } })
}

/** Files and archives over HTTP. */
export const fileHandlers: { readonly [Name in Route.FileRoute]: Handler } = {
  storageFile: handler({
    credential: 'token',
    file: ({ credential, ...request }) => fileOperations.storageFile({ token: credential, ...request }),
    archive: ({ credential, ...request }, bounds) =>
      fileOperations.storageArchive({ token: credential, ...request }, bounds),
  }),
  userContentFile: handler({
    credential: 'user id',
    file: ({ credential, ...request }) => fileOperations.userContentFile({ user: credential, ...request }),
    archive: ({ credential, ...request }, bounds) =>
      fileOperations.userContentArchive({ user: credential, ...request }, bounds),
  }),
}
