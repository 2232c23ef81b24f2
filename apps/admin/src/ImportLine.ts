import { type Area, TriggerValue, type U64, type UserId } from '@canopy/domain'
import type { ImportedRows, TokenRecord, TriggerRecord } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RR from 'fp-ts/lib/ReadonlyRecord.js'
import { isLosslessNumber, stringify } from 'lossless-json'
import * as Argument from './Argument.js'
import { type Problem, wrongUsage } from './Problem.js'

interface FieldsByType {
  readonly account: {
    readonly id: UserId.UserId
    readonly name: O.Option<string>
    readonly area: O.Option<Area.AreaLocation>
    readonly verified: boolean
  }
  readonly token: Pick<TokenRecord, 'account' | 'scope' | 'expires' | 'label'>
  readonly setting: ImportedRows['settings'][number]
  readonly rule: ImportedRows['rules'][number]
  readonly trigger: TriggerRecord
}

export type LineType = keyof FieldsByType

/** A parsed line of an import file, with its number. */
export type ImportLine<Type extends LineType = LineType> = {
  [type in Type]: { readonly type: type; readonly line: number } & FieldsByType[type]
}[Type]

type Parsers = {
  readonly [type in LineType]: { readonly [name in keyof FieldsByType[type]]: Field<FieldsByType[type][name]> }
}

export const fieldParsers = (now: U64.U64): Parsers => ({
  account: { id: required(Argument.userId), name: text, area, verified: flag },
  token: {
    account: required(Argument.userId),
    scope: required(Argument.path),
    expires: optional(Argument.when(now)),
    label: text,
  },
  setting: {
    account: required(Argument.userId),
    path: required(Argument.path),
    visibility: required(Argument.visibility),
  },
  rule: {
    account: required(Argument.userId),
    pattern: required(Argument.pattern),
    visibility: required(Argument.ruleVisibility),
  },
  trigger: { id: required(Argument.triggerId), value: triggerValue, expires: optional(Argument.when(now)) },
})

/** Parses the JSON of a line. */
export const parseLine = (parsers: Parsers, line: number, json: string): E.Either<Problem, ImportLine> =>
  pipe(
    Argument.jsonObject('')(json),
    E.flatMap(({ type, ...values }) => {
      if (typeof type !== 'string' || !Object.hasOwn(parsers, type))
        return E.left(wrongUsage(`"type" must be one of ${Object.keys(parsers).join(', ')}`))
      const fields: Readonly<Record<string, Field<unknown>>> = parsers[type as LineType]
      const known = Object.keys(fields)
      const unknown = Object.keys(values).find((name) => !known.includes(name))
      // A misspelled `expires` would make a token that never expires.
      if (unknown !== undefined)
        return E.left(wrongUsage(`unknown field "${unknown}": valid fields for "${type}" are ${known.join(', ')}`))
      return pipe(
        fields,
        RR.traverseWithIndex(E.Applicative)((name, parse) => parse(values[name], name)),
        E.map((parsed) => ({ type, line, ...parsed }) as ImportLine),
      )
    }),
  )

/** Two lines with one key are duplicates. Every token is new, so tokens have no key. */
export const keyOf = (line: ImportLine): string | undefined => {
  if (line.type === 'token') return undefined
  if (line.type === 'rule') return `rule ${line.account} ${line.pattern}`
  return line.type === 'setting' ? `setting ${line.account} ${line.path}` : `${line.type} ${line.id}`
}

/** Parses a field of a line. */
type Field<A> = (value: unknown, name: string) => E.Either<Problem, A>

/** Accepts text, the digits of a number, and `null` for a missing value. PostgreSQL cannot store NUL. */
const optional =
  <A>(parse: (text: string) => E.Either<Problem, A>): Field<O.Option<A>> =>
  (value, name) => {
    if (value === undefined || value === null) return E.right(O.none)
    return isLosslessNumber(value) || (typeof value === 'string' && !value.includes('\0'))
      ? pipe(parse(value.toString()), E.map(O.some))
      : E.left(wrongUsage(`"${name}" must be a string or a number, without NUL characters`))
  }

const required =
  <A>(parse: (text: string) => E.Either<Problem, A>): Field<A> =>
  (value, name) =>
    pipe(optional(parse)(value, name), E.flatMap(E.fromOption(() => wrongUsage(`"${name}" is missing`))))

const text: Field<O.Option<string>> = (value, name) => optional(Argument.notEmpty(`"${name}"`))(value, name)

const area: Field<O.Option<Area.AreaLocation>> = (value, name) => optional(Argument.area(`"${name}"`))(value, name)

const flag: Field<boolean> = (value, name) => {
  const given = value ?? false
  return typeof given === 'boolean' ? E.right(given) : E.left(wrongUsage(`"${name}" must be true or false`))
}

/** `stringify` keeps the digits of numbers. */
const triggerValue: Field<TriggerValue.TriggerValue> = (value, name) =>
  pipe(
    TriggerValue.fromJson(stringify(value) ?? ''),
    E.mapLeft((message) => wrongUsage(`"${name}": ${message}`)),
  )
