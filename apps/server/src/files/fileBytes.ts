import { Failure, type OpenedFile } from '@canopy/domain'
import { orThrow } from '../bodies/bodyOf.js'
import { FailedStream } from '../http/HttpResponse.js'
import type { HandlerEnv } from '../operationHandlers.js'

const wrongLength = Failure.external(new Error('the file changed size during the download'))

/** Yields bytes of a file, counted; by default all. Throws a failure, because a generator cannot fail otherwise. */
export async function* fileBytes(
  { context, metrics }: Pick<HandlerEnv, 'context' | 'metrics'>,
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
