import { Readable } from 'node:stream'
import { Failure, type File, type OpenedFile } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { FailedStream } from '../http/HttpResponse.js'
import type { HandlerEnv } from '../operationHandlers.js'

const checkMs = 1_000

/** Streams bytes of a file; by default all. The reader drives it, and one chunk is read ahead. Checks the grant once a second. */
export const fileStream = (
  env: HandlerEnv,
  { opened, authorizeAgain }: File<Failure.OfAccess>,
  start = 0n,
  end = opened.size,
): Readable => {
  const stream = Readable.from(countedBytes(env, opened, start, end), { objectMode: false, highWaterMark: 1 })
  const timer = setInterval(async () => {
    const authorized = await authorizeAgain()
    if (E.isLeft(authorized)) stream.destroy(new FailedStream(authorized.left))
  }, checkMs).unref()
  return stream.once('close', () => clearInterval(timer))
}

const wrongLength = Failure.external(new Error('the file changed size during the download'))

async function* countedBytes(
  { context, metrics }: HandlerEnv,
  opened: OpenedFile,
  start: bigint,
  end: bigint,
): AsyncGenerator<Uint8Array, void> {
  let left = end - start
  for await (const bytes of opened.bytes(start, end)) {
    left -= BigInt(bytes.length)
    // The rest would be taken for the next response on the connection.
    if (left < 0n) throw new FailedStream(wrongLength)
    context.fileBytes = (context.fileBytes ?? 0) + bytes.length
    metrics?.sentFileBytes(bytes.length)
    yield bytes
  }
  if (left > 0n) throw new FailedStream(wrongLength)
}
