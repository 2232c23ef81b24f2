import * as t from 'io-ts'

const notShown = '(not shown)'

/** A refusal that repeats nothing of what was refused, not even in its context: it may be a secret with a typing error. */
export const refuseSecret = <A>(context: t.Context, message: string): t.Validation<A> =>
  t.failure(
    notShown,
    context.map((entry) => ({ ...entry, actual: notShown })),
    message,
  )
