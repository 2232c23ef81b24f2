import { Area, TriggerValue, type U64, UserId } from '@canopy/domain'
import { advised, causeOf } from '@canopy/installation'
import type { Imported, NewToken } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { isLosslessNumber, parse, stringify } from 'lossless-json'
import * as Argument from './Argument.js'
import { type Problem, wrongUsage } from './Command.js'

type Fields = Readonly<Record<string, unknown>>

type Said =
  | { readonly type: 'account'; readonly row: Imported['accounts'][number] }
  | { readonly type: 'token'; readonly row: Omit<NewToken, 'token'> }
  | { readonly type: 'setting'; readonly row: Imported['settings'][number] }
  | { readonly type: 'trigger'; readonly row: Imported['triggers'][number] }

/** What a line says, and its number. */
export type Line = Said & { readonly at: number }

/** A line that is wrong, and what to do about it. */
export interface WrongLine {
  readonly at: number
  readonly message: string
}

/** A misspelled `expires` would make a token that never expires. */
const fieldsOf: Readonly<Record<Said['type'], ReadonlyArray<string>>> = {
  account: ['id', 'name', 'area', 'verified'],
  token: ['account', 'scope', 'expires', 'label'],
  setting: ['account', 'path', 'visibility'],
  trigger: ['id', 'value', 'expires'],
}

const isType = (u: unknown): u is Said['type'] => typeof u === 'string' && Object.hasOwn(fieldsOf, u)

const wrong = (message: string): E.Either<Problem, never> => E.left(wrongUsage(message))

/** Text, or the digits of a number; `null` is as good as absent. PostgreSQL keeps no NUL. */
const optional =
  (fields: Fields, name: string) =>
  <A>(read: (text: string) => E.Either<Problem, A>): E.Either<Problem, O.Option<A>> => {
    const value = fields[name] ?? undefined
    if (value === undefined) return E.right(O.none)
    if (!isLosslessNumber(value) && (typeof value !== 'string' || value.includes('\0')))
      return wrong(`"${name}" must be text, without NUL`)
    return Argument.optional(read)(value.toString())
  }

const required =
  (fields: Fields, name: string) =>
  <A>(read: (text: string) => E.Either<Problem, A>): E.Either<Problem, A> =>
    pipe(optional(fields, name)(read), E.flatMap(E.fromOption(() => wrongUsage(`"${name}" is missing`))))

const verified = ({ verified: given }: Fields): E.Either<Problem, boolean> => {
  const value = given ?? false
  return typeof value === 'boolean' ? E.right(value) : wrong('"verified" must be true or false')
}

/** Its numbers keep their digits. */
const triggerValue = ({ value }: Fields): E.Either<Problem, TriggerValue.TriggerValue> =>
  pipe(
    TriggerValue.fromJson(stringify(value) ?? ''),
    E.mapLeft((message) => wrongUsage(`"value": ${message}`)),
  )

const rowOf = (now: U64.U64, type: Said['type'], fields: Fields): E.Either<Problem, Said> => {
  const expires = () => optional(fields, 'expires')(Argument.when(now))
  const text = (name: string) => optional(fields, name)(Argument.notEmpty(`"${name}"`))
  switch (type) {
    case 'account':
      return pipe(
        Argument.all({
          id: required(fields, 'id')(Argument.userId),
          name: text('name'),
          area: text('area'),
          verified: verified(fields),
        }),
        E.map(({ id, name, area, verified }) => ({
          type,
          row: {
            id,
            name,
            verified,
            location: Area.location(O.getOrElse(() => UserId.toDecimal(id))(area)),
            isMountPoint: false,
            areaMade: false,
          },
        })),
      )
    case 'token':
      return pipe(
        Argument.all({
          account: required(fields, 'account')(Argument.userId),
          scope: required(fields, 'scope')(Argument.path),
          expires: expires(),
          label: text('label'),
        }),
        E.map((row) => ({ type, row })),
      )
    case 'setting':
      return pipe(
        Argument.all({
          account: required(fields, 'account')(Argument.userId),
          path: required(fields, 'path')(Argument.path),
          visibility: required(fields, 'visibility')(Argument.visibility),
        }),
        E.map((row) => ({ type, row })),
      )
    case 'trigger':
      return pipe(
        Argument.all({
          id: required(fields, 'id')(Argument.triggerId),
          value: triggerValue(fields),
          expires: expires(),
        }),
        E.map((row) => ({ type, row })),
      )
  }
}

/** What two lines may not both say; two tokens are two. */
const keyOf = ({ type, row }: Said): string | undefined => {
  switch (type) {
    case 'account':
      return `account ${row.id}`
    case 'setting':
      return `setting ${row.account} ${row.path}`
    case 'trigger':
      return `trigger ${row.id}`
    case 'token':
      return undefined
  }
}

const objectOf = (text: string): E.Either<Problem, Fields> =>
  pipe(
    E.tryCatch(
      () => parse(text),
      (cause) => wrongUsage(`it cannot be read as JSON in which each field occurs once: ${causeOf(cause)}`),
    ),
    E.filterOrElse(
      (u): u is Fields => typeof u === 'object' && u !== null && !Array.isArray(u),
      () => wrongUsage('it is no JSON object'),
    ),
  )

const saidIn = (now: U64.U64, text: string): E.Either<Problem, Said> =>
  pipe(
    objectOf(text),
    E.flatMap(({ type, ...fields }) => {
      if (!isType(type)) return wrong(`"type" must be one of ${Object.keys(fieldsOf).join(', ')}`)
      const known = fieldsOf[type]
      const unknown = Object.keys(fields).find((name) => !known.includes(name))
      return unknown === undefined
        ? rowOf(now, type, fields)
        : wrong(`of "type":"${type}" the fields are ${known.join(', ')}, and not "${unknown}"`)
    }),
  )

/** The lines of a text that comes in parts. Throws where it is not UTF-8. */
async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const part of parts) {
    const lines = `${rest}${decoder.decode(part, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  yield rest + decoder.decode()
}

/** All that the lines say, and all that are wrong; blank ones say nothing. */
export const readLines = async (
  now: U64.U64,
  parts: AsyncIterable<Uint8Array>,
): Promise<{ readonly lines: ReadonlyArray<Line>; readonly wrong: ReadonlyArray<WrongLine> }> => {
  const lines: Array<Line> = []
  const wrongLines: Array<WrongLine> = []
  const saidAt = new Map<string, number>()
  let at = 0
  for await (const text of linesOf(parts)) {
    at += 1
    if (text.trim() === '') continue
    const said = saidIn(now, text)
    const key = E.isRight(said) ? keyOf(said.right) : undefined
    const before = key === undefined ? undefined : saidAt.get(key)
    if (E.isLeft(said)) wrongLines.push({ at, message: advised(said.left.message, said.left.suggestion) })
    else if (before === undefined) lines.push({ ...said.right, at })
    else wrongLines.push({ at, message: `line ${before} is about the same ${said.right.type}` })
    if (key !== undefined) saidAt.set(key, at)
  }
  return { lines, wrong: wrongLines }
}
