import { type AppMiddleware, refuse, respond } from '../AppState.js'
import { optionsAnswer } from '../optionsAnswer.js'
import { methodNotAllowed } from '../Refusal.js'
import { pages } from './pages.js'

/** `/openapi.json`, and `/docs` with the files it needs. Any other path is somebody else's. */
export const servePages: AppMiddleware = async (ctx, next) => {
  const page = pages.get(ctx.state.exchange.state.target?.path ?? '')
  if (page === undefined) return next()
  switch (ctx.method) {
    case 'GET':
    case 'HEAD':
      return respond(ctx, await page.answer())
    case 'OPTIONS':
      return respond(ctx, optionsAnswer)
    default:
      return refuse(ctx, methodNotAllowed)
  }
}
