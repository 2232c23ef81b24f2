import * as O from 'fp-ts/lib/Option.js'

/** Parses a whole number of at least `min`, from a number or from canonical decimal text; `none` for anything else. */
export const wholeNumber = (value: number | string, min: number): O.Option<number> => {
  const isDecimal = typeof value === 'number' || /^(0|[1-9][0-9]*)$/.test(value)
  const number = Number(value)
  return isDecimal && Math.floor(number) === number && number >= min ? O.some(number) : O.none
}
