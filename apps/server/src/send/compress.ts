import { pipeline, type Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { memoize } from '../memoize.js'

/** In the order in which we like them. */
export const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** Below this many bytes an answer gains nothing. */
export const worthwhileBytes = 1024

// Level 4 of brotli compresses JSON better than level 6 of gzip, in less time. A window of 256 KiB instead of 4 MiB makes
// it a hundredth longer, and a stream takes 1.5 MB instead of 9. Streams are flushed chunk by chunk.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } }
// Once for each body: a listing that is kept is compressed once, and so are the pages that never change.
const compressors: { readonly [E in Encoding]: (bytes: Buffer) => Promise<Buffer> } = {
  br: memoize((bytes) => promisify(brotliCompress)(bytes, brotli)),
  gzip: memoize((bytes) => promisify(gzip)(bytes)),
}
const transforms: { readonly [E in Encoding]: () => Transform } = {
  br: () => createBrotliCompress({ ...brotli, flush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
}

export const compressBytes = (bytes: Buffer, encoding: Encoding): Promise<Buffer> => compressors[encoding](bytes)

/** Fails when the source fails, and ends the source when it is ended itself. */
export const compressStream = (source: Readable, encoding: Encoding): Readable =>
  pipeline(source, transforms[encoding](), () => undefined)
