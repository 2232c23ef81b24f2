import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { UserId } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import { type Account, tokenIdOf } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { nothingRecorded, recordOf } from './account.js'
import { failed, type Outcome, type Problem, type ReadEnv, rowsOf, type WriteEnv, wrongUsage } from './Command.js'
import { type Line, readLines, type WrongLine } from './importLines.js'
import { columns, type Report, report } from './Report.js'
import { newToken, tokenJson } from './token.js'

/** The most that are shown. */
const mostWrong = 100

const wrongFile = (wrong: ReadonlyArray<WrongLine>): Problem =>
  failed('wrong import file')(
    [
      'nothing was imported: correct these lines, and run it again',
      ...wrong.slice(0, mostWrong).map(({ at, message }) => `line ${at}: ${message}`),
      ...(wrong.length > mostWrong ? [`and ${wrong.length - mostWrong} more`] : []),
    ].join('\n'),
  )

const read = ({ cwd, now, stdin }: ReadEnv, file: string): Outcome<Awaited<ReturnType<typeof readLines>>> =>
  TE.tryCatch(
    () => readLines(now, file === '-' ? stdin : createReadStream(resolve(cwd, file))),
    (cause) => wrongUsage(`cannot read ${file === '-' ? 'standard input' : file}: ${causeOf(cause)}`),
  )

const of = <Type extends Line['type']>(lines: ReadonlyArray<Line>, type: Type) =>
  lines.filter((line): line is Extract<Line, { readonly type: Type }> => line.type === type)

const grouped = (lines: ReadonlyArray<Line>) => ({
  accounts: of(lines, 'account'),
  tokens: of(lines, 'token'),
  settings: of(lines, 'setting'),
  triggers: of(lines, 'trigger'),
})
type Grouped = ReturnType<typeof grouped>

const ownerOf = (line: Line): UserId.UserId | undefined =>
  line.type === 'token' || line.type === 'setting' ? line.row.account : undefined

/** What the lines say, if the registry has no objection. */
const checked = (env: ReadEnv, file: string): Outcome<Grouped> =>
  pipe(
    read(env, file),
    TE.bindTo('read'),
    TE.bindW('taken', ({ read: { lines } }) =>
      env.registry.taken({
        accounts: [
          ...new Set(lines.flatMap((line) => (line.type === 'account' ? line.row.id : (ownerOf(line) ?? [])))),
        ],
        triggers: of(lines, 'trigger').map(({ row }) => row.id),
      }),
    ),
    TE.flatMapEither(({ read: { lines, wrong }, taken }) => {
      const there = new Set([...taken.accounts, ...of(lines, 'account').map(({ row }) => row.id)])
      const refused = lines.flatMap((line): ReadonlyArray<WrongLine> => {
        const { at } = line
        const owner = ownerOf(line)
        if (owner !== undefined && !there.has(owner))
          return [{ at, message: `there is no account ${UserId.toDecimal(owner)}, in the registry or in the file` }]
        if (line.type === 'account' && taken.accounts.has(line.row.id))
          return [{ at, message: `there is an account ${UserId.toDecimal(line.row.id)} already: leave the line out` }]
        if (line.type === 'trigger' && taken.triggers.has(line.row.id))
          return [{ at, message: 'there is a trigger with this id already: leave the line out' }]
        return []
      })
      const all = [...wrong, ...refused].sort((one, other) => one.at - other.at)
      return all.length === 0 ? E.right(grouped(lines)) : E.left(wrongFile(all))
    }),
  )

const countsOf = ({ accounts, tokens, settings, triggers }: Grouped) => ({
  accounts: accounts.length,
  tokens: tokens.length,
  settings: settings.length,
  triggers: triggers.length,
})

export const dryImport = (env: ReadEnv, file: string): Outcome =>
  pipe(
    checked(env, file),
    TE.map((lines) =>
      report({ imported: false, ...countsOf(lines), issued: [] }, [`Would import ${rowsOf(countsOf(lines))}.`]),
    ),
  )

/** Makes the directories of accounts, or finds them, as `account create` does. */
const withAreas = ({ areas }: WriteEnv, { accounts }: Grouped): Outcome<ReadonlyArray<Account>> =>
  pipe(
    accounts,
    TE.traverseSeqArray(({ at, row }) =>
      pipe(
        areas.create(row.location),
        TE.bimap(
          ({ error, reason, suggestion }) => failed(error)(`nothing was imported: line ${at}: ${reason}`, suggestion),
          (area) => ({ ...row, ...recordOf(areas, area, nothingRecorded) }),
        ),
      ),
    ),
  )

export const importFile = (env: WriteEnv, file: string): Outcome =>
  pipe(
    checked(env, file),
    TE.bindTo('lines'),
    TE.bindW('accounts', ({ lines }) => withAreas(env, lines)),
    TE.let('issued', ({ lines }) =>
      lines.tokens.map(({ at, row }) => {
        const token = newToken(env)
        return { line: at, token, tokenId: tokenIdOf(token), ...row }
      }),
    ),
    TE.tap(({ lines, accounts, issued }) =>
      env.registry.addAll({
        accounts,
        tokens: issued,
        settings: lines.settings.map(({ row }) => row),
        triggers: lines.triggers.map(({ row }) => row),
      }),
    ),
    TE.map(({ lines, issued }): Report => {
      const rows = issued.map(({ line, token, tokenId, account, scope }) => [
        line.toString(),
        token,
        tokenId,
        UserId.toDecimal(account),
        scope,
      ])
      const tokens = [
        '',
        'This is the only time the tokens are shown: only their hashes are stored.',
        ...columns([['LINE', 'TOKEN', 'TOKEN ID', 'ACCOUNT', 'SCOPE'], ...rows]),
      ]
      const said = report(
        {
          imported: true,
          ...countsOf(lines),
          issued: issued.map(({ line, token, ...record }) => ({ line, token, ...tokenJson(record, env.now) })),
        },
        [
          `Imported ${rowsOf(countsOf(lines))}. \`canopy doctor\` says which of them lead nowhere or open secrets.`,
          ...(issued.length === 0 ? [] : tokens),
        ],
      )
      return issued.length === 0 ? said : { ...said, undo: issued.map(({ tokenId }) => ['token', 'revoke', tokenId]) }
    }),
  )
