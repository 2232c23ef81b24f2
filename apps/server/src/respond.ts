import { createHash } from 'node:crypto'
import type { Answer } from './Answer.js'
import type { RequestContext } from './RequestState.js'

const everyAnswer = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Link',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
}

const jsonType = 'application/json; charset=utf-8'

const entityTag = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`

const cacheable = ({ headers }: Answer): boolean => headers['Cache-Control'] !== 'no-store'

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
      if (cacheable(answer)) ctx.set('ETag', entityTag(answer.body.bytes))
      if (ctx.fresh) {
        ctx.status = 304
        return
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
      stream.once('error', () => ctx.res.destroy())
      ctx.body = stream
    }
  }
}
