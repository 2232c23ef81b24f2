import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Area, TriggerValue, type U64, UserId } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import { type Account, messageWithHint, tokenIdOf } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RR from 'fp-ts/lib/ReadonlyRecord.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isLosslessNumber, stringify } from 'lossless-json'
import * as Argument from './Argument.js'
import { recordOf } from './account.js'
import type { Outcome, ReadEnv, Words, WriteEnv } from './Command.js'
import { failed, type Problem, without, wrongUsage } from './Problem.js'
import { columns, type Report, report, rowsOf } from './Report.js'
import { newToken, tokenJson } from './token.js'

/** What the value of a field is, as the domain has it. */
type Field<A> = (value: unknown, name: string) => E.Either<Problem, A>

/** Text, or the digits of a number; `null` is as good as absent. PostgreSQL keeps no NUL. */
const optional =
  <A>(read: (text: string) => E.Either<Problem, A>): Field<O.Option<A>> =>
  (value, name) => {
    if (value === undefined || value === null) return E.right(O.none)
    return isLosslessNumber(value) || (typeof value === 'string' && !value.includes('\0'))
      ? pipe(read(value.toString()), E.map(O.some))
      : E.left(wrongUsage(`"${name}" must be text, without NUL`))
  }

const required =
  <A>(read: (text: string) => E.Either<Problem, A>): Field<A> =>
  (value, name) =>
    pipe(optional(read)(value, name), E.flatMap(E.fromOption(() => wrongUsage(`"${name}" is missing`))))

const text: Field<O.Option<string>> = (value, name) => optional(Argument.notEmpty(`"${name}"`))(value, name)

const area: Field<O.Option<Area.AreaLocation>> = (value, name) => optional(Argument.area(`"${name}"`))(value, name)

const flag: Field<boolean> = (value, name) => {
  const given = value ?? false
  return typeof given === 'boolean' ? E.right(given) : E.left(wrongUsage(`"${name}" must be true or false`))
}

/** Its numbers keep their digits. */
const triggerValue: Field<TriggerValue.TriggerValue> = (value, name) =>
  pipe(
    TriggerValue.fromJson(stringify(value) ?? ''),
    E.mapLeft((message) => wrongUsage(`"${name}": ${message}`)),
  )

const fieldsOf = (now: U64.U64) => ({
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
  trigger: { id: required(Argument.triggerId), value: triggerValue, expires: optional(Argument.when(now)) },
})
type Types = ReturnType<typeof fieldsOf>
type Type = keyof Types

type Values<Fields> = { readonly [name in keyof Fields]: Fields[name] extends Field<infer A> ? A : never }

/** What a line says, and its number. */
type Line<Of extends Type = Type> = {
  [type in Of]: { readonly type: type; readonly at: number } & Values<Types[type]>
}[Of]

/** A line that is wrong, and what to do about it. */
interface WrongLine {
  readonly at: number
  readonly message: string
}

const lineOf = (types: Types, at: number, json: string): E.Either<Problem, Line> =>
  pipe(
    Argument.jsonObject('it')(json),
    E.flatMap(({ type, ...values }) => {
      if (typeof type !== 'string' || !Object.hasOwn(types, type))
        return E.left(wrongUsage(`"type" must be one of ${Object.keys(types).join(', ')}`))
      const fields: Readonly<Record<string, Field<unknown>>> = types[type as Type]
      const known = Object.keys(fields)
      const unknown = Object.keys(values).find((name) => !known.includes(name))
      // A misspelled `expires` would make a token that never expires.
      if (unknown !== undefined)
        return E.left(wrongUsage(`of "type":"${type}" the fields are ${known.join(', ')}, and not "${unknown}"`))
      return pipe(
        fields,
        RR.traverseWithIndex(E.Applicative)((name, read) => read(values[name], name)),
        E.map((read) => ({ type, at, ...read }) as Line),
      )
    }),
  )

/** What two lines may not both say; two tokens are two. */
const keyOf = (line: Line): string | undefined => {
  if (line.type === 'token') return undefined
  return line.type === 'setting' ? `setting ${line.account} ${line.path}` : `${line.type} ${line.id}`
}

type Lines = { readonly [type in Type]: Array<Line<type>> } & { readonly wrong: Array<WrongLine> }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** `undefined` for bytes that are not UTF-8. JSON in UTF-16 has a NUL beside each ASCII character. */
const decoded = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

function* linesOf(bytes: Buffer): Generator<string | undefined> {
  for (let start = 0, end = 0; start <= bytes.length; start = end + 1) {
    end = bytes.indexOf('\n', start)
    if (end === -1) end = bytes.length
    yield decoded(bytes.subarray(start, end))
  }
}

const notUtf8 = wrongUsage('it is not UTF-8 text', 'save the file in that encoding')

/** All that the lines say, and all that are wrong; blank ones say nothing. */
const read = ({ cwd, now, stdin }: ReadEnv, file: string): Outcome<Lines> =>
  TE.tryCatch(
    async () => {
      const types = fieldsOf(now)
      const lines: Lines = { account: [], token: [], setting: [], trigger: [], wrong: [] }
      const saidAt = new Map<string, number>()
      const bytes = await (file === '-' ? buffer(stdin) : readFile(resolve(cwd, file)))
      let at = 0
      for (const json of linesOf(bytes)) {
        at += 1
        if (json?.trim() === '') continue
        const line = json === undefined ? E.left(notUtf8) : lineOf(types, at, json)
        if (E.isLeft(line)) {
          lines.wrong.push({ at, message: messageWithHint(line.left.message, line.left.suggestion) })
          continue
        }
        const key = keyOf(line.right)
        const before = key === undefined ? undefined : saidAt.get(key)
        const ofItsType: Array<Line> = lines[line.right.type]
        if (before === undefined) ofItsType.push(line.right)
        else lines.wrong.push({ at, message: `line ${before} is about the same ${line.right.type}` })
        if (key !== undefined) saidAt.set(key, at)
      }
      return lines
    },
    (cause) => wrongUsage(`cannot read ${file === '-' ? 'standard input' : file}: ${causeOf(cause)}`),
  )

/** The most that are shown. */
const mostWrong = 100

const wrongFile = (wrong: ReadonlyArray<WrongLine>): Problem =>
  failed('wrong import file')(
    [
      'nothing was imported',
      ...wrong.slice(0, mostWrong).map(({ at, message }) => `line ${at}: ${message}`),
      ...(wrong.length > mostWrong ? [`and ${wrong.length - mostWrong} more`] : []),
    ].join('\n'),
    'correct these lines, and run it again',
  )

const locationOf = ({ id, area }: Line<'account'>): Area.AreaLocation =>
  O.getOrElse(() => Area.location(UserId.toDecimal(id)))(area)

/** Accounts whose directories cannot be made. */
const wrongAreas = ({ areas }: ReadEnv, accounts: Lines['account']): T.Task<ReadonlyArray<WrongLine>> =>
  pipe(
    accounts,
    T.traverseSeqArray((line) =>
      pipe(
        areas.check(locationOf(line)),
        TE.match(
          ({ message, suggestion }) => [{ at: line.at, message: messageWithHint(message, suggestion) }],
          () => [],
        ),
      ),
    ),
    T.map((found) => found.flat()),
  )

/** What the lines say, if neither the registry nor the storage has an objection. */
const checked = (env: ReadEnv, file: string): Outcome<Lines> =>
  pipe(
    read(env, file),
    TE.bindTo('lines'),
    TE.bindW('accounts', () => env.registry.accounts.all),
    TE.bindW('triggers', () => env.registry.triggers.all),
    TE.bindW('wrongAreas', ({ lines }) => TE.fromTask(wrongAreas(env, lines.account))),
    TE.flatMapEither(({ lines, ...there }) => {
      const accounts = new Set(there.accounts.map(({ id }) => id))
      const triggers = new Set<string>(there.triggers.map((trigger) => E.toUnion(trigger).id))
      const made = new Set(lines.account.map(({ id }) => id))
      const objectionTo = (line: Line): string | undefined => {
        if (line.type === 'account')
          return accounts.has(line.id)
            ? `there is an account ${UserId.toDecimal(line.id)} already: leave the line out`
            : undefined
        if (line.type === 'trigger')
          return triggers.has(line.id) ? 'there is a trigger with this id already: leave the line out' : undefined
        return made.has(line.account) || accounts.has(line.account)
          ? undefined
          : `there is no account ${UserId.toDecimal(line.account)}, in the registry or in the file`
      }
      const { account, token, setting, trigger } = lines
      const wrong = [...lines.wrong, ...there.wrongAreas]
      for (const line of [...account, ...token, ...setting, ...trigger]) {
        const message = objectionTo(line)
        if (message !== undefined) wrong.push({ at: line.at, message })
      }
      return wrong.length === 0 ? E.right(lines) : E.left(wrongFile(wrong.sort((one, other) => one.at - other.at)))
    }),
  )

const countsOf = ({ account, token, setting, trigger }: Lines) => ({
  accounts: account.length,
  tokens: token.length,
  settings: setting.length,
  triggers: trigger.length,
})

export const dryImport = (env: ReadEnv, [file]: Words): Outcome =>
  pipe(
    checked(env, file),
    // Without the object store no account is imported.
    TE.tap(
      ({ account }): Outcome<unknown> =>
        env.areas.areaIs === 'key prefix' && account.length > 0 ? env.areas.names : TE.right(undefined),
    ),
    TE.map((lines) =>
      report({ imported: false, ...countsOf(lines), issued: [] }, [`Would import ${rowsOf(countsOf(lines))}.`]),
    ),
  )

/** Makes the directories of accounts, or finds them, as `account create` does. */
const withAreas = ({ areas }: WriteEnv, lines: Lines): Outcome<ReadonlyArray<Account>> =>
  pipe(
    lines.account,
    TE.traverseSeqArray((line) => {
      const { at, id, name, verified } = line
      const location = locationOf(line)
      return pipe(
        areas.create(location),
        TE.bimap(without(`nothing was imported: line ${at}`), (created) => ({
          id,
          name,
          verified,
          location,
          ...recordOf(areas, created),
        })),
      )
    }),
  )

export const importFile = (env: WriteEnv, [file]: Words): Outcome =>
  pipe(
    checked(env, file),
    TE.bindTo('lines'),
    TE.bindW('accounts', ({ lines }) => withAreas(env, lines)),
    TE.let('issued', ({ lines }) =>
      lines.token.map((line) => {
        const token = newToken()
        return { ...line, token, tokenId: tokenIdOf(token) }
      }),
    ),
    TE.tap(({ lines, accounts, issued }) =>
      env.registry.addAll({ accounts, tokens: issued, settings: lines.setting, triggers: lines.trigger }),
    ),
    TE.map(({ lines, issued }): Report => {
      const counts = countsOf(lines)
      const said = `Imported ${rowsOf(counts)}. \`canopy doctor\` says which of them lead nowhere or open secrets.`
      if (issued.length === 0) return report({ imported: true, ...counts, issued }, [said])
      const json = issued.map((token) => ({ line: token.at, token: token.token, ...tokenJson(token, env.now) }))
      const rows = json.map(({ line, token, tokenId, account, scope }) => [`${line}`, token, tokenId, account, scope])
      return {
        ...report({ imported: true, ...counts, issued: json }, [
          said,
          '',
          'This is the only time the tokens are shown: only their hashes are stored.',
          ...columns([['LINE', 'TOKEN', 'TOKEN ID', 'ACCOUNT', 'SCOPE'], ...rows]),
        ]),
        undo: issued.map(({ tokenId }) => ['token', 'revoke', tokenId]),
      }
    }),
  )
