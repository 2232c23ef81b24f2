import type { Middleware } from 'koa'
import { optionsAnswer } from '../optionsAnswer.js'
import { methodNotAllowed } from '../Refusal.js'
import type { RequestState } from '../RequestState.js'
import { refusalAnswer } from '../refusalAnswer.js'
import { respond } from '../respond.js'
import { pages } from './pages.js'

/** `/openapi.json`, and `/docs` with the files it needs. Any other path is somebody else's. */
export const servePages: Middleware<RequestState> = async (ctx, next) => {
  const page = pages.get(ctx.state.target?.path ?? '')
  if (page === undefined) return next()
  switch (ctx.method) {
    case 'GET':
    case 'HEAD':
      await respond(ctx, { status: 200, headers: page.headers, body: { is: 'bytes', bytes: await page.bytes() } })
      ctx.set('Content-Type', page.type)
      return
    case 'OPTIONS':
      return respond(ctx, optionsAnswer)
    default:
      ctx.state.refusal = methodNotAllowed
      return respond(ctx, refusalAnswer(methodNotAllowed))
  }
}
