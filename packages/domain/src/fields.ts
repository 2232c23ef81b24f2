import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'

/** Parses an optional field. Left: its name, if the value is invalid. */
export const optionalField = <Field extends string, A, B>(
  name: Field,
  value: A | undefined,
  parse: (value: A) => O.Option<B>,
): E.Either<Field, O.Option<B>> =>
  value === undefined
    ? E.right(O.none)
    : pipe(
        parse(value),
        E.fromOption(() => name),
        E.map(O.some),
      )

/** Parses a whole number of at least `min`, from a number or from canonical decimal text. */
export const wholeNumber =
  (min: number) =>
  (value: number | string): O.Option<number> => {
    const isDecimal = typeof value === 'number' || /^(0|[1-9][0-9]*)$/.test(value)
    const number = Number(value)
    return isDecimal && Math.floor(number) === number && number >= min ? O.some(number) : O.none
  }
