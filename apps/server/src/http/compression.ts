import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import accepts from 'accepts'
import { memoize } from './HttpResponse.js'

/** Smaller bodies do not gain from compression. */
export const minCompressedBytes = 1024

/** Preferred first. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

const offered = [...encodings, 'identity']

/** Returns the encoding to send; `undefined` for the plain bytes. */
export const negotiate = ({ headers }: IncomingMessage): Encoding | undefined => {
  const accepted = headers['accept-encoding']
  if (accepted === undefined) return undefined
  // The header ignores case (RFC 9110, 5.6.6 and 12.5.3), but the library reads `q` and not `Q`.
  const request = { headers: { 'accept-encoding': accepted.toLowerCase() } } as IncomingMessage
  const preferred = accepts(request).encodings(offered)
  return encodings.find((candidate) => candidate === preferred)
}

// Level 4 of brotli compresses JSON better than level 6 of gzip, in less time. A window of 256 KiB instead of 4 MiB makes
// the body one percent longer, and a stream takes 1.5 MB instead of 9. Streams are flushed chunk by chunk.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } }

/** Memoized, so a cached response is compressed once. */
export const compressBytes: { readonly [E in Encoding]: (bytes: Buffer) => Promise<Buffer> } = {
  br: memoize((bytes) => promisify(brotliCompress)(bytes, brotli)),
  gzip: memoize((bytes) => promisify(gzip)(bytes)),
}

const compressor: { readonly [E in Encoding]: () => Transform } = {
  br: () => createBrotliCompress({ ...brotli, flush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
}

/** Fails if the source fails, and ends the source when it ends itself. */
export const compressStream = (source: Readable, encoding: Encoding): Readable =>
  pipeline(source, compressor[encoding](), () => undefined)

/** Memory for a stream with its source, measured with slow readers. An upper estimate. */
export const streamBytes: { readonly [E in Encoding | 'identity']: number } = {
  identity: 1_572_864,
  gzip: 2_621_440,
  br: 2_621_440,
}
