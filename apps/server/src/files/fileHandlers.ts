import { type Archive, type Failure, type File, fileOperations, Tree } from '@canopy/domain'
import { type Headers, HttpError, parseZip, type Route } from '@canopy/http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { HttpResponse } from '../http/HttpResponse.js'
import { type Handler, type HandlerEnv, operationRequest, type Run } from '../operationHandlers.js'
import { archive, maxArchiveNodes } from './archive.js'
import { archiveEntries } from './archiveEntries.js'
import { archiveHeaders, fileHeaders } from './fileHeaders.js'
import { fileStream } from './fileStream.js'
import { selectBytes } from './selectBytes.js'

const handler =
  (
    openFile: Run<Tree.Bounds, File<Failure.OfAccess>>,
    openArchive: Run<Tree.Bounds, Archive<Failure.OfAccess>>,
  ): Handler =>
  (match) =>
  (env) => {
    const { context, ports, treeNodes } = env
    const { credential } = match.route
    const request = operationRequest(match, context)
    const bounds = { ...Tree.unbounded, nodes: Math.min(treeNodes, maxArchiveNodes) }
    return pipe(
      TE.fromEither(parseZip(match.params.query)),
      TE.flatMap((isArchive) =>
        isArchive
          ? pipe(openArchive(request, bounds)(ports), TE.flatMap(archiveResponse(env, credential)))
          : pipe(openFile(request, bounds)(ports), TE.flatMapEither(fileResponse(env, credential))),
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
        begin: () => fileStream(env, file, start, end),
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
  storageFile: handler(fileOperations.storageFile, fileOperations.storageArchive),
  userContentFile: handler(fileOperations.userContentFile, fileOperations.userContentArchive),
}
