import { Readable } from 'node:stream'
import { Failure, type File, type OpenedFile } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { orThrow } from '../bodies/bodyOf.js'
import { FailedStream } from '../http/HttpResponse.js'
import type { HandlerEnv } from '../operationHandlers.js'

export type DownloadEnv = Pick<HandlerEnv, 'context' | 'metrics'>

const wrongLength = Failure.external(new Error('the file changed size during the download'))

/** Yields bytes of a file, counted; by default all. Throws a failure, because a generator cannot fail otherwise. */
export async function* fileBytes(
  { context, metrics }: DownloadEnv,
  file: OpenedFile,
  start = 0n,
  end = file.size,
): AsyncGenerator<Uint8Array, void> {
  let left = end - start
  for await (const chunk of file.bytes(start, end)) {
    const bytes = orThrow(chunk)
    left -= BigInt(bytes.length)
    // The rest would be taken for the next response on the connection.
    if (left < 0n) throw new FailedStream(wrongLength)
    context.fileBytes = (context.fileBytes ?? 0) + bytes.length
    metrics?.sentFileBytes(bytes.length)
    yield bytes
  }
  if (left > 0n) throw new FailedStream(wrongLength)
}

const checkMs = 1_000

/** Checks the grant once a second until the request ends. A stream whose client has lost access fails. */
export const endWithAccess = (
  { context: { signal } }: DownloadEnv,
  stream: Readable,
  authorizeAgain: TE.TaskEither<Failure.Failure, void>,
): void => {
  const check = async (): Promise<void> => {
    const authorized = await authorizeAgain()
    if (E.isLeft(authorized)) stream.destroy(new FailedStream(authorized.left))
  }
  const timer = setInterval(check, checkMs).unref()
  signal.addEventListener('abort', () => clearInterval(timer))
}

/** Streams bytes of a file. The client's reading drives it; one chunk is read ahead. */
export const download = (
  env: DownloadEnv,
  { opened, authorizeAgain }: File<Failure.OfAccess>,
  start: bigint,
  end: bigint,
): Readable => {
  const stream = Readable.from(fileBytes(env, opened, start, end), { objectMode: false, highWaterMark: 1 })
  endWithAccess(env, stream, authorizeAgain)
  return stream
}
