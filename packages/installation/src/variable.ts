import * as E from 'fp-ts/lib/Either.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as t from 'io-ts'

/** The codec of an environment variable that is text of a certain form; `message` says what to write. */
export const variable = (
  name: string,
  accepts: (text: string) => boolean,
  message: string,
): t.Type<string, string, unknown> =>
  new t.Type(
    name,
    t.string.is,
    (u, context) => (t.string.is(u) && accepts(u) ? t.success(u) : t.failure(u, context, message)),
    t.identity,
  )

/** A whole number from `least` to `most`, in digits. */
export const wholeNumber = (
  name: string,
  least: number,
  most: number,
  message: string,
): t.Type<number, string, unknown> => {
  const digits = variable(
    name,
    (text) => /^(0|[1-9][0-9]{0,15})$/.test(text) && Number(text) >= least && Number(text) <= most,
    message,
  )
  return new t.Type(name, t.number.is, (u, context) => E.map(Number)(digits.validate(u, context)), String)
}

/** One sentence for each wrong variable. Values are not repeated: one may hold a password. */
export const problemsOf = (errors: t.Errors): ReadonlyArray<string> =>
  errors.map(({ context, message }) => `${context[1]?.key ?? 'the environment'} ${message ?? 'cannot be read'}`)

/** Puts together what was read, or the problems of all. */
export const everyProblem = E.getApplicativeValidation(RA.getSemigroup<string>())
