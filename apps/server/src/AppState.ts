import type { Middleware, ParameterizedContext } from 'koa'
import type { Answer } from './answer/Answer.js'
import { refusalAnswer } from './answer/refusalAnswer.js'
import type { Exchange } from './Exchange.js'
import type { Refusal } from './Refusal.js'
import { send } from './send/send.js'

/** What Koa's middlewares share. Koa finds who answers; what is answered does not pass through its context. */
export interface AppState {
  exchange: Exchange
}
export type AppContext = ParameterizedContext<AppState>
export type AppMiddleware = Middleware<AppState>

export const respond = async ({ state }: AppContext, answer: Answer): Promise<void> => send(state.exchange, answer)

/** `answer` where a refusal has headers of its own. */
export const refuse = (ctx: AppContext, refusal: Refusal, answer = refusalAnswer(refusal)): Promise<void> => {
  ctx.state.exchange.state.refusal = refusal
  return respond(ctx, answer)
}
