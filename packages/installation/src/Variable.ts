import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as RR from 'fp-ts/lib/ReadonlyRecord.js'

/** Like `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>

/** One sentence per wrong variable. */
export type Problems = ReadonlyArray<string>

export interface Variable<A> {
  readonly name: string
  /** Parsed when the variable is not set. */
  readonly fallback: string
  /** Parses the text. `left` says what to write, without repeating the text, which may contain a password. */
  readonly parse: (text: string) => E.Either<string, A>
}

export const of = <A>(name: string, fallback: string, parse: Variable<A>['parse']): Variable<A> => ({
  name,
  fallback,
  parse,
})

export const text = (pattern: RegExp, must: string) =>
  E.fromPredicate(
    (value: string) => pattern.test(value),
    () => must,
  )

/** Digits without a sign or leading zeros. */
export const wholeNumber = (min: number, max: number, must: string) =>
  flow(
    text(/^(0|[1-9][0-9]{0,15})$/, must),
    E.map(Number),
    E.filterOrElse(
      (number) => number >= min && number <= max,
      () => must,
    ),
  )

/** Collects all problems, not only the first. */
export const everyProblem = E.getApplicativeValidation(RA.getSemigroup<string>())

type Table = Readonly<Record<string, Variable<unknown>>>

export type Values<Named extends Table> = {
  readonly [Key in keyof Named]: Named[Key] extends Variable<infer A> ? A : never
}

/** Reads a table of variables, or names the problem of each wrong one. */
export const readAll = <Named extends Table>(table: Named, variables: Variables): E.Either<Problems, Values<Named>> =>
  pipe(
    table as Table,
    RR.traverse(everyProblem)(({ name, fallback, parse }) =>
      pipe(
        parse(variables[name] ?? fallback),
        E.mapLeft((problem) => [`${name}: ${problem}`]),
      ),
    ),
    E.map((values) => values as Values<Named>),
  )
