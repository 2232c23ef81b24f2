import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as RR from 'fp-ts/lib/ReadonlyRecord.js'

/** As the environment of a process has them. */
export type Variables = Readonly<Record<string, string | undefined>>

/** One sentence for each variable that is wrong. */
export type Problems = ReadonlyArray<string>

/** One variable. */
export interface Setting<A> {
  readonly name: string
  /** Its text where it is not set. */
  readonly fallback: string
  /** `left` says what to write. The text is not repeated: it may hold a password. */
  readonly parse: (text: string) => E.Either<string, A>
}

export const of = <A>(name: string, fallback: string, parse: Setting<A>['parse']): Setting<A> => ({
  name,
  fallback,
  parse,
})

export const text = (form: RegExp, must: string) =>
  E.fromPredicate(
    (value: string) => form.test(value),
    () => must,
  )

/** In digits, without a sign or leading zeros. */
export const wholeNumber = (least: number, most: number, must: string) =>
  flow(
    text(/^(0|[1-9][0-9]{0,15})$/, must),
    E.map(Number),
    E.filterOrElse(
      (number) => number >= least && number <= most,
      () => must,
    ),
  )

/** Puts together what was read, or the problems of all. */
export const everyProblem = E.getApplicativeValidation(RA.getSemigroup<string>())

type Table = Readonly<Record<string, Setting<unknown>>>

export type Values<Settings extends Table> = {
  readonly [Key in keyof Settings]: Settings[Key] extends Setting<infer A> ? A : never
}

/** The values of a table, or what is wrong with each that is wrong. */
export const readAll = <Settings extends Table>(
  table: Settings,
  variables: Variables,
): E.Either<Problems, Values<Settings>> =>
  pipe(
    table as Table,
    RR.traverse(everyProblem)(({ name, fallback, parse }) =>
      pipe(
        parse(variables[name] ?? fallback),
        E.mapLeft((problem) => [`${name} ${problem}`]),
      ),
    ),
    E.map((values) => values as Values<Settings>),
  )
