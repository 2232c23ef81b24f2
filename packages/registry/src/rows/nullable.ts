import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

/** NULL is `none`. */
export const nullable = <A, Output>(codec: t.Type<A, Output, unknown>): t.Type<O.Option<A>, Output | null, unknown> =>
  new t.Type(
    `${codec.name} or NULL`,
    (u): u is O.Option<A> =>
      typeof u === 'object' && u !== null && '_tag' in u && (u._tag === 'None' || ('value' in u && codec.is(u.value))),
    (u, context) => (u === null ? t.success(O.none) : pipe(codec.validate(u, context), E.map(O.some))),
    O.match(() => null, codec.encode),
  )
