import { type Archive, type Failure, type File, fileOperations, Tree } from '@canopy/domain'
import { type Headers, HttpError, parseZip, type Route } from '@canopy/http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { HttpResponse } from '../http/HttpResponse.js'
import type { Handler, HandlerEnv, OperationRequest } from '../operationHandlers.js'
import type { AllPorts } from '../ports.js'
import { archive, maxArchiveNodes } from './archive.js'
import { archiveEntries } from './archiveEntries.js'
import { download } from './download.js'
import { archiveHeaders, fileHeaders } from './fileHeaders.js'
import { selectBytes } from './selectBytes.js'

type Opens<A> = RTE.ReaderTaskEither<AllPorts, Failure.Failure, A>

/** How the clients of one route open a file and an archive. */
interface Opening {
  readonly credential: Route.Credential
  readonly file: (request: OperationRequest) => Opens<File<Failure.OfAccess>>
  readonly archive: (request: OperationRequest, bounds: Tree.Bounds) => Opens<Archive<Failure.OfAccess>>
}

const handler =
  (opening: Opening): Handler =>
  ({ credential, path, query }) =>
  (env) => {
    const { context, ports, treeNodes } = env
    const request = { credential, path, signal: context.signal }
    const bounds = { ...Tree.unbounded, nodes: Math.min(treeNodes, maxArchiveNodes) }
    return pipe(
      TE.fromEither(parseZip(query)),
      TE.flatMap((isArchive) =>
        isArchive
          ? pipe(opening.archive(request, bounds)(ports), TE.flatMap(archiveResponse(env, opening.credential)))
          : pipe(opening.file(request)(ports), TE.flatMapEither(fileResponse(env, opening.credential))),
      ),
    )
  }

const fileResponse =
  (env: HandlerEnv, credential: Route.Credential) =>
  (file: File<Failure.OfAccess>): E.Either<HttpError.HttpError, HttpResponse> => {
    const { size } = file.opened
    const headers = fileHeaders(credential, file.name, file.opened)
    const selection = selectBytes(env.context.request, size, headers)
    if (selection === 304) return E.right({ status: 304, headers, body: { is: 'empty' } })
    if (selection === 416) return E.left(HttpError.rangeNotSatisfiable(size))
    const { status, start, end } = selection
    const range: Headers = status === 206 ? { 'Content-Range': `bytes ${start}-${end - 1n}/${size}` } : {}
    return E.right({
      status,
      headers: { ...headers, ...range, 'Content-Length': `${end - start}` },
      body: {
        is: 'download',
        kind: status === 206 ? 'range' : 'file',
        begin: () => download(env, file, start, end),
      },
    })
  }

const archiveResponse =
  (env: HandlerEnv, credential: Route.Credential) =>
  (opened: Archive<Failure.OfAccess>): TE.TaskEither<HttpError.HttpError, HttpResponse> =>
    pipe(
      archiveEntries(opened.tree, env.context.signal),
      TE.map((entries) => ({
        status: 200,
        headers: archiveHeaders(credential, opened.tree.name),
        body: { is: 'download', kind: 'archive', begin: () => archive(env, opened, entries) },
      })),
    )

/** Files and archives over HTTP. */
export const fileHandlers: { readonly [Name in Route.FileRoute]: Handler } = {
  storageFile: handler({
    credential: 'token',
    file: ({ credential: token, ...request }) => fileOperations.storageFile({ token, ...request }),
    archive: ({ credential: token, ...request }, bounds) =>
      fileOperations.storageArchive({ token, ...request }, bounds),
  }),
  userContentFile: handler({
    credential: 'user id',
    file: ({ credential: user, ...request }) => fileOperations.userContentFile({ user, ...request }),
    archive: ({ credential: user, ...request }, bounds) =>
      fileOperations.userContentArchive({ user, ...request }, bounds),
  }),
}
