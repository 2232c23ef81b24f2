import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Area, Settings, UserId } from '@canopy/domain'
import { reasonOf } from '@canopy/installation'
import { type Account, messageWithHint, tokenIdOf } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RNEA from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaRecord } from './account.js'
import type { Args, Outcome, ReadEnv, WriteEnv } from './Command.js'
import { fieldParsers, type ImportLine, keyOf, type LineType, parseLine } from './ImportLine.js'
import { type Problem, problem, toProblem, withPrefix, wrongUsage } from './Problem.js'
import { alignColumns, describeCounts, type Report, report } from './Report.js'
import { newToken, tokenJson } from './token.js'

export const importFile = (env: WriteEnv, [file]: Args): Outcome =>
  pipe(
    readValidLines(env, file),
    TE.bindTo('lines'),
    TE.bindW('accounts', ({ lines }) => createAreas(env, lines)),
    TE.let('issued', ({ lines }) =>
      lines.token.map((line) => {
        const token = newToken()
        return { ...line, token, tokenId: tokenIdOf(token) }
      }),
    ),
    TE.tap(({ lines: { setting, rule, trigger }, accounts, issued }) =>
      env.registry.addAll({ accounts, tokens: issued, settings: setting, rules: rule, triggers: trigger }),
    ),
    TE.map(({ lines, issued }): Report => {
      const counts = countsOf(lines)
      const summary = `Imported ${describeCounts(counts)}. Run \`canopy doctor\` to check for orphan settings and exposed secrets.`
      if (issued.length === 0) return report({ imported: true, ...counts, issued: [] }, [summary])
      const json = issued.map((token) => ({ line: token.line, token: token.token, ...tokenJson(token, env.now) }))
      const rows = json.map(({ line, token, tokenId, account, scope }) => [`${line}`, token, tokenId, account, scope])
      return {
        ...report({ imported: true, ...counts, issued: json }, [
          summary,
          '',
          'This is the only time the tokens are shown: Canopy stores only their hashes.',
          ...alignColumns([['LINE', 'TOKEN', 'TOKEN ID', 'ACCOUNT', 'SCOPE'], ...rows]),
        ]),
        undo: issued.map(({ tokenId }) => ['token', 'revoke', tokenId]),
      }
    }),
  )

export const dryImport = (env: ReadEnv, [file]: Args): Outcome =>
  pipe(
    readValidLines(env, file),
    // Checking a key prefix does not contact the object store, but the import would.
    TE.tap(
      ({ account }): Outcome<unknown> =>
        env.areas.kind !== 'directory' && account.length > 0
          ? pipe(
              env.areas.reachable,
              TE.mapLeft(({ cause }) => problem('external')(`cannot read the storage: ${reasonOf(cause)}`)),
            )
          : TE.right(undefined),
    ),
    TE.map((lines) =>
      report({ imported: false, ...countsOf(lines), issued: [] }, [`Would import ${describeCounts(countsOf(lines))}.`]),
    ),
  )

interface WrongLine {
  readonly line: number
  readonly message: string
}

const wrongLine = (line: number, { message, hint }: Pick<Problem, 'message' | 'hint'>): WrongLine => ({
  line,
  message: messageWithHint(message, hint),
})

type Lines = { readonly [type in LineType]: Array<ImportLine<type>> } & { readonly wrong: Array<WrongLine> }

/** Fails with every line that is wrong by itself, duplicates another, or conflicts with the registry or the storage. */
const readValidLines = (env: ReadEnv, file: string): Outcome<Lines> =>
  pipe(
    readLines(env, file),
    TE.bindTo('lines'),
    TE.bindW('accounts', () => env.registry.accounts.all),
    TE.bindW('triggers', () => env.registry.triggers.all),
    TE.let('accountIds', ({ accounts }) => new Set(accounts.map(({ id }) => id))),
    TE.bindW('wrongRules', ({ lines, accountIds }) => checkRules(env, lines.rule, accountIds)),
    TE.bindW('wrongAreas', ({ lines }) => TE.fromTask(checkAreas(env, lines.account))),
    TE.flatMapEither(({ lines, accountIds, triggers, wrongAreas, wrongRules }) => {
      const wrong = [
        ...lines.wrong,
        ...wrongAreas,
        ...wrongRules,
        ...registryConflicts(lines, accountIds, new Set(triggers.map((trigger) => E.toUnion(trigger).id))),
      ]
      return wrong.length === 0 ? E.right(lines) : E.left(wrongFile(wrong))
    }),
  )

const readLines = ({ cwd, now, stdin }: ReadEnv, file: string): Outcome<Lines> =>
  TE.tryCatch(
    async () => {
      const parsers = fieldParsers(now)
      const lines: Lines = { account: [], token: [], setting: [], rule: [], trigger: [], wrong: [] }
      const lineByKey = new Map<string, number>()
      const bytes = await (file === '-' ? buffer(stdin) : readFile(resolve(cwd, file)))
      for (const [index, json] of decodeLines(bytes).entries()) {
        const lineNumber = index + 1
        if (json?.trim() === '') continue
        const parsed = json === undefined ? E.left(notUtf8) : parseLine(parsers, lineNumber, json)
        if (E.isLeft(parsed)) {
          lines.wrong.push(wrongLine(lineNumber, parsed.left))
          continue
        }
        const key = keyOf(parsed.right)
        const earlier = key === undefined ? undefined : lineByKey.get(key)
        // Widened, because TypeScript cannot relate the type of a line to its array.
        const sameType: Array<ImportLine> = lines[parsed.right.type]
        if (earlier === undefined) sameType.push(parsed.right)
        else lines.wrong.push({ line: lineNumber, message: `duplicates the ${parsed.right.type} on line ${earlier}` })
        if (key !== undefined) lineByKey.set(key, lineNumber)
      }
      return lines
    },
    (cause) => wrongUsage(`cannot read ${file === '-' ? 'standard input' : file}: ${reasonOf(cause)}`),
  )

/**
 * Splits the bytes, then decodes each line by itself, so that one bad line does not spoil the others. A NUL means UTF-16.
 * `undefined` for a line that is not UTF-8.
 */
const decodeLines = (bytes: Buffer): ReadonlyArray<string | undefined> =>
  bytes
    .toString('latin1')
    .split('\n')
    .map((text) => Buffer.from(text, 'latin1'))
    .map((line) => (isUtf8(line) && !line.includes(0) ? line.toString().replace(/^\uFEFF/, '') : undefined))

const notUtf8 = wrongUsage('not valid UTF-8', 'save the file as UTF-8')

const checkAreas = ({ areas }: ReadEnv, accounts: Lines['account']): T.Task<ReadonlyArray<WrongLine>> =>
  pipe(
    accounts,
    T.traverseSeqArray((account) =>
      pipe(
        areas.check(locationOf(account)),
        TE.match(
          (found) => [wrongLine(account.line, found)],
          () => [],
        ),
      ),
    ),
    T.map((wrong) => wrong.flat()),
  )

/** The import would reject these rules too, but only after it has created areas. Names the last line of an account with too many. */
const checkRules = (
  { registry }: ReadEnv,
  rules: Lines['rule'],
  accountIds: ReadonlySet<UserId.UserId>,
): Outcome<ReadonlyArray<WrongLine>> =>
  pipe(
    Object.values(RNEA.groupBy(({ account }: ImportLine<'rule'>) => UserId.toDecimal(account))(rules)),
    TE.traverseSeqArray((lines): Outcome<ReadonlyArray<WrongLine>> => {
      const { account, line } = RNEA.last(lines)
      const tooMany = wrongLine(line, toProblem({ error: 'too many rules', account }))
      return pipe(
        accountIds.has(account) ? registry.settings.of(account) : TE.right(Settings.none),
        TE.map((settings) => (O.isSome(Settings.addRules(settings, lines)) ? [] : [tooMany])),
      )
    }),
    TE.map((wrong) => wrong.flat()),
  )

const locationOf = ({ id, area }: ImportLine<'account'>): Area.AreaLocation =>
  O.getOrElse(() => Area.location(UserId.toDecimal(id)))(area)

const registryConflicts = (
  { account, token, setting, rule, trigger }: Lines,
  accountIds: ReadonlySet<UserId.UserId>,
  triggerIds: ReadonlySet<string>,
): ReadonlyArray<WrongLine> => {
  const importedIds = new Set(account.map(({ id }) => id))
  const conflictOf = (line: ImportLine): string | undefined => {
    if (line.type === 'account')
      return accountIds.has(line.id)
        ? `account ${UserId.toDecimal(line.id)} already exists: remove the line`
        : undefined
    if (line.type === 'trigger')
      return triggerIds.has(line.id) ? 'a trigger with this ID already exists: remove the line' : undefined
    return importedIds.has(line.account) || accountIds.has(line.account)
      ? undefined
      : `account ${UserId.toDecimal(line.account)} is neither in the registry nor in the file`
  }
  return [...account, ...token, ...setting, ...rule, ...trigger].flatMap((line) => {
    const message = conflictOf(line)
    return message === undefined ? [] : [{ line: line.line, message }]
  })
}

const maxWrongShown = 100

const wrongFile = (wrong: ReadonlyArray<WrongLine>): Problem => {
  const sorted = [...wrong].sort((one, other) => one.line - other.line)
  return problem('invalid import file')(
    [
      'nothing was imported',
      ...sorted.slice(0, maxWrongShown).map(({ line, message }) => `line ${line}: ${message}`),
      ...(sorted.length > maxWrongShown ? [`and ${sorted.length - maxWrongShown} more`] : []),
    ].join('\n'),
    'correct these lines, then run the command again',
  )
}

/** Creates the missing directories of the accounts, as `account create` does. */
const createAreas = ({ areas }: WriteEnv, lines: Lines): Outcome<ReadonlyArray<Account>> =>
  pipe(
    lines.account,
    TE.traverseSeqArray((account) => {
      const { line, id, name, verified } = account
      const location = locationOf(account)
      return pipe(
        areas.create(location),
        TE.bimap(withPrefix(`nothing was imported: line ${line}`), (created) => ({
          id,
          name,
          verified,
          location,
          ...areaRecord(areas, created),
        })),
      )
    }),
  )

const countsOf = ({ account, token, setting, rule, trigger }: Lines) => ({
  accounts: account.length,
  tokens: token.length,
  settings: setting.length,
  rules: rule.length,
  triggers: trigger.length,
})
