import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Failure, onceFor } from '@canopy/domain'
import type { Answer } from './Answer.js'
import { compressBytes, compressStream, type Encoding, encodings, worthwhileBytes } from './compress.js'
import { everyAnswer, jsonType } from './everyAnswer.js'
import type { Refusal } from './Refusal.js'
import type { RequestContext } from './RequestState.js'
import { WalkFailed } from './treeText.js'

/** Weak, since the same answer may come compressed in several ways. */
const entityTag = onceFor(
  (bytes: Buffer) => `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
)

const cacheable = ({ headers }: Answer): boolean => headers['Cache-Control'] !== 'no-store'

/** What the client takes, `undefined` for the bytes as they are. Says in the answer that it was asked. */
const negotiate = (ctx: RequestContext): Encoding | undefined => {
  ctx.vary('Accept-Encoding')
  const accepted = ctx.acceptsEncodings([...encodings, 'identity'])
  const encoding = encodings.find((candidate) => candidate === accepted)
  if (encoding !== undefined) ctx.set('Content-Encoding', encoding)
  return encoding
}

const respondWithBytes = async (ctx: RequestContext, answer: Answer, bytes: Buffer): Promise<void> => {
  if (cacheable(answer)) ctx.set('ETag', entityTag(bytes))
  const compressible = bytes.length >= worthwhileBytes
  if (compressible) ctx.vary('Accept-Encoding')
  if (cacheable(answer) && ctx.fresh) {
    ctx.status = 304
    return
  }
  const encoding = compressible ? negotiate(ctx) : undefined
  ctx.body = encoding === undefined ? bytes : await compressBytes(bytes, encoding)
}

const refusalOf = (thrown: unknown): Refusal =>
  thrown instanceof WalkFailed ? thrown.failure : Failure.external(thrown)

const respondWithStream = (ctx: RequestContext, source: Readable): void => {
  const encoding = negotiate(ctx)
  ctx.set('Transfer-Encoding', 'chunked')
  if (ctx.method === 'HEAD') {
    source.destroy()
    return
  }
  // After the first byte the only honest way to fail is to cut the connection. Anything thrown once the client is gone
  // is only the news that it is gone.
  source.once('error', (thrown) => {
    if (!ctx.res.destroyed) ctx.state.refusal = refusalOf(thrown)
    ctx.res.destroy()
  })
  ctx.body = encoding === undefined ? source : compressStream(source, encoding)
}

/** The one place that writes to Koa's context. */
export const respond = async (ctx: RequestContext, answer: Answer): Promise<void> => {
  ctx.status = answer.status
  ctx.set({ ...everyAnswer, ...answer.headers, 'X-Request-Id': ctx.state.requestId ?? '' })
  switch (answer.body.is) {
    case 'nothing':
      ctx.body = null
      return
    case 'bytes':
      ctx.set('Content-Type', answer.headers['Content-Type'] ?? jsonType)
      return respondWithBytes(ctx, answer, answer.body.bytes)
    case 'stream':
      ctx.set('Content-Type', jsonType)
      return respondWithStream(ctx, answer.body.stream)
  }
}
