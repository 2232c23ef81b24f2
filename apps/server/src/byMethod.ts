import { type AppContext, refuse, respond } from './AppState.js'
import { optionsAnswer } from './answer/optionsAnswer.js'
import { methodNotAllowed } from './Refusal.js'

/** Answers whoever reads, tells the options to whoever asks for them, and refuses every other method. */
export const byMethod = async (ctx: AppContext, answer: () => Promise<void>): Promise<void> => {
  switch (ctx.method) {
    case 'GET':
    case 'HEAD':
      return answer()
    case 'OPTIONS':
      return respond(ctx, optionsAnswer)
    default:
      return refuse(ctx, methodNotAllowed)
  }
}
