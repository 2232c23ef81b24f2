import { type AppMiddleware, respond } from '../AppState.js'
import { byMethod } from '../byMethod.js'
import type { Page } from './pages.js'

const isOurs = (path: string): boolean => path === '/openapi.json' || /^\/docs(\/|$)/.test(path)

// Loaded at the first request: most servers are never asked for a page.
const pageAt = async (path: string): Promise<Page | undefined> =>
  isOurs(path) ? (await import('./pages.js')).pages.get(path) : undefined

/** `/openapi.json`, and `/docs` with the files it needs. Any other path is somebody else's. */
export const servePages: AppMiddleware = async (ctx, next) => {
  const page = await pageAt(ctx.state.exchange.state.target?.path ?? '')
  if (page === undefined) return next()
  return byMethod(ctx, async () => respond(ctx, await page.answer()))
}
