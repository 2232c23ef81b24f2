import { createHash } from 'node:crypto'
import { Failure } from '@canopy/domain'
import type { Answer } from './Answer.js'
import { everyAnswer, jsonType } from './everyAnswer.js'
import type { Refusal } from './Refusal.js'
import type { RequestContext } from './RequestState.js'
import { WalkFailed } from './treeText.js'

const entityTag = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`

const cacheable = ({ headers }: Answer): boolean => headers['Cache-Control'] !== 'no-store'

const refusalOf = (thrown: unknown): Refusal =>
  thrown instanceof WalkFailed ? thrown.failure : Failure.external(thrown)

/** The one place that writes to Koa's context. */
export const respond = (ctx: RequestContext, answer: Answer): void => {
  ctx.status = answer.status
  ctx.set({ ...everyAnswer, ...answer.headers })
  switch (answer.body.is) {
    case 'nothing':
      ctx.body = null
      return
    case 'bytes':
      ctx.set('Content-Type', jsonType)
      if (cacheable(answer)) {
        ctx.set('ETag', entityTag(answer.body.bytes))
        if (ctx.fresh) {
          ctx.status = 304
          return
        }
      }
      ctx.body = answer.body.bytes
      return
    case 'stream': {
      const { stream } = answer.body
      ctx.set('Content-Type', jsonType)
      if (ctx.method === 'HEAD') {
        stream.destroy()
        ctx.set('Transfer-Encoding', 'chunked')
        return
      }
      // After the first byte the only honest way to fail is to cut the connection.
      stream.once('error', (thrown) => {
        // Anything else that is thrown once the client is gone is only the news that it is gone.
        if (!ctx.res.destroyed) ctx.state.refusal = refusalOf(thrown)
        ctx.res.destroy()
      })
      ctx.body = stream
    }
  }
}
