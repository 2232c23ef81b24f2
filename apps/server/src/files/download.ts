import { Readable } from 'node:stream'
import { Failure, type File, type Signal } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { FailedStream } from '../http/HttpResponse.js'
import type { RequestContext } from '../http/RequestContext.js'
import type { Metrics } from '../observe/prometheus.js'
import type { Selection } from './selectBytes.js'

/** How often the grant is checked, in milliseconds. */
const checkMs = 1_000

const wrongLength = Failure.external(new Error('the file changed size during the download'))

/** Yields bytes of a file, counted. Throws a failure, because a generator cannot fail otherwise. */
export async function* fileBytes(
  context: RequestContext,
  file: File<Failure.OfAccess>,
  { start, end }: Pick<Selection, 'start' | 'end'>,
  metrics: Metrics | undefined,
): AsyncGenerator<Uint8Array, void> {
  let left = end - start
  for await (const chunk of file.bytes(start, end, context.signal)) {
    if (E.isLeft(chunk)) throw new FailedStream(chunk.left)
    const { length } = chunk.right
    left -= BigInt(length)
    // The rest would be taken for the next response on the connection.
    if (left < 0n) throw new FailedStream(wrongLength)
    context.fileBytes = (context.fileBytes ?? 0) + length
    metrics?.sentFileBytes(length)
    yield chunk.right
  }
  if (left > 0n) throw new FailedStream(wrongLength)
}

/** Checks the grant once a second until the request ends. A stream whose client has lost access fails. */
export const endWithAccess = (
  { signal }: RequestContext,
  stream: Readable,
  authorizeAgain: TE.TaskEither<Failure.Failure, void>,
): void => {
  const check = async (): Promise<void> => {
    const authorized = await authorizeAgain()
    if (E.isLeft(authorized)) stream.destroy(new FailedStream(authorized.left))
    else if (!signal.aborted) timer = wait()
  }
  const wait = (): NodeJS.Timeout => setTimeout(() => void check(), checkMs).unref()
  let timer = wait()
  signal.addEventListener('abort', () => clearTimeout(timer))
}

/** Streams the selected bytes of a file. The client's reading drives it; one chunk is read ahead. */
export const download = (
  context: RequestContext,
  file: File<Failure.OfAccess>,
  selection: Selection,
  metrics: Metrics | undefined,
): Readable => {
  const bytes = fileBytes(context, file, selection, metrics)
  const stream = Readable.from(bytes, { objectMode: false, highWaterMark: 1 })
  endWithAccess(context, stream, file.authorizeAgain)
  return stream
}

/** Limits the downloads in progress, apart from all other requests: slow ones never make listings `overloaded`. */
export class Downloads {
  readonly #max: number
  readonly #metrics: Metrics | undefined
  #count = 0

  constructor(max: number, metrics: Metrics | undefined) {
    this.#max = max
    this.#metrics = metrics
  }

  /** Returns false if the limit is reached: refuse the request. The signal ends the download. */
  begin(signal: Signal): boolean {
    if (this.#count >= this.#max || signal.aborted) return false
    this.#add(1)
    signal.addEventListener('abort', () => this.#add(-1))
    return true
  }

  #add(change: 1 | -1): void {
    this.#count += change
    this.#metrics?.setDownloads(this.#count)
  }
}
