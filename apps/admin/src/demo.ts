import { randomUUID } from 'node:crypto'
import { access, constants, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AccessToken, StoragePath, TriggerId, UserId, type Visibility } from '@canopy/domain'
import { type Account, type TriggerRecord, tokenIdOf } from '@canopy/registry/admin'
import { makeDirectory } from '@canopy/storage-fs/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import * as Argument from './Argument.js'
import { accountJson, createAccount, verifyHint } from './account.js'
import type { Outcome, WriteEnv } from './Command.js'
import { nodeExists } from './nodeLookup.js'
import { external, ignoreErrno, problem, withPrefix } from './Problem.js'
import { type Report, report } from './Report.js'
import { newToken } from './token.js'
import { newTriggerId, peekUrl, triggerJson, triggerValue } from './trigger.js'

/** Creates an account that shows what Canopy does. A later run prints the same and repairs missing parts. */
export const demo = (env: WriteEnv): Outcome =>
  pipe(
    readMemory(env),
    TE.bindTo('memory'),
    TE.bindW('known', ({ memory }) => findAccount(env, memory)),
    TE.bindW('account', ({ known }) => (known === undefined ? createDemoAccount(env) : TE.right(known))),
    TE.bindW('tokens', ({ account }) => env.registry.tokens.of(account.id)),
    TE.bindW('triggers', () => env.registry.triggers.all),
    TE.bindW('areaExists', ({ account }) => TE.fromTask(nodeExists(env.storage, account, StoragePath.root))),
    TE.bindW('value', () => TE.fromEither(triggerValue('demo', triggerFields))),
    TE.flatMap(({ memory, known, account, tokens, triggers, areaExists, value }) => {
      const isNew = known === undefined
      const oldToken = isNew ? undefined : memory?.token.token
      const isTokenValid =
        oldToken !== undefined &&
        tokens.some((record) => record.tokenId === tokenIdOf(oldToken) && !Argument.isPast(env.now, record.expires))
      const token = isTokenValid ? oldToken : newToken()
      const oldTrigger = RA.rights(triggers).find(
        ({ id, expires }) => id === memory?.trigger && !Argument.isPast(env.now, expires),
      )
      const trigger = oldTrigger ?? { id: newTriggerId(), value, expires: O.none }
      return pipe(
        // Recreates files only when the whole area is gone, for example after a change of the storage.
        isNew || areaExists !== true ? createNodes(env, account) : TE.right(undefined),
        TE.flatMap(() =>
          env.registry.addAll({
            accounts: [],
            tokens: isTokenValid ? [] : [tokenRow(account, token)],
            // Only once, because an operator may have changed them.
            settings: isNew ? settingRows(account) : [],
            rules: [],
            triggers: oldTrigger === undefined ? [trigger] : [],
          }),
        ),
        TE.flatMap(() =>
          isTokenValid && oldTrigger !== undefined
            ? TE.right(undefined)
            : writeMemory(env, { account: account.id, token: { token }, trigger: trigger.id }),
        ),
        TE.map(() => demoReport(env, account, token, trigger)),
      )
    }),
  )

const tokenRow = (account: Account, token: AccessToken.AccessToken) => ({
  token,
  account: account.id,
  scope: StoragePath.root,
  expires: O.none,
  label: O.some('demo'),
})

const settingRows = (account: Account) =>
  settings.map(([path, visibility]) => ({ account: account.id, path: path as StoragePath.StoragePath, visibility }))

/** Directories come before their contents. An entry with a text is a file. */
const nodes: ReadonlyArray<readonly [path: string, text?: string]> = [
  ['/welcome.txt', 'Everyone sees this file: it inherits the public setting of the root.\n'],
  ['/photos'],
  ['/photos/beach.txt', 'Public, inherited from the root.\n'],
  ['/photos/drafts'],
  ['/photos/drafts/sketch.txt', 'Hidden, inherited: anyone who knows the path can request it.\n'],
  ['/photos/drafts/old'],
  ['/photos/drafts/old/first.txt', 'Hidden, inherited from two levels up.\n'],
  ['/photos/drafts/press'],
  ['/photos/drafts/press/release.txt', 'Public, inherited from its directory, although drafts is hidden.\n'],
  ['/photos/drafts/surprise.txt', 'Has its own hidden setting: not listed, even for visitors who open the drafts.\n'],
  ['/diary'],
  ['/diary/monday.txt', 'Private, inherited: only a token gives access.\n'],
]

const settings: ReadonlyArray<readonly [path: string, visibility: Visibility.Visibility]> = [
  ['/', 'public'],
  ['/photos/drafts', 'hidden'],
  ['/photos/drafts/press', 'public'],
  ['/photos/drafts/surprise.txt', 'hidden'],
  ['/diary', 'private'],
]

const triggerFields = '{"message":"Peeked, not fired.","path":"/photos","count":18446744073709551615}'

/** Kept in a file for the next run, because the registry stores only the hash of a token. */
const memoryCodec = t.type({
  account: UserId.codec,
  token: t.type({ token: AccessToken.codec }),
  trigger: TriggerId.codec,
})
type Memory = t.TypeOf<typeof memoryCodec>

const memoryFile = ({ data }: WriteEnv): string => join(data, 'demo.json')

/** Reads what the last run stored; `undefined` before the first run. */
const readMemory = (env: WriteEnv): Outcome<Memory | undefined> => {
  const file = memoryFile(env)
  // The message does not quote the file, because the id of a trigger is a secret.
  const hint =
    'remove the file to start a new demo; to remove the earlier demo, run `canopy account delete ID` (for the account named demo in `canopy account list`) and `canopy trigger delete ID` (for its trigger in `canopy trigger list`)'
  return pipe(
    TE.tryCatch(() => readFile(file, 'utf8').catch(ignoreErrno('ENOENT')), external(`cannot read ${file}`)),
    TE.flatMapEither((text) =>
      text === undefined
        ? E.right(undefined)
        : pipe(
            E.tryCatch((): unknown => JSON.parse(text), E.toError),
            E.flatMap(memoryCodec.decode),
            E.mapLeft(() => problem('invalid demo file')(`${file} was not written by the demo`, hint)),
          ),
    ),
  )
}

/** Only its owner may read the file, which contains a token. The rename replaces it whole, for another run that reads it. */
const writeMemory = (env: WriteEnv, memory: Memory): Outcome<void> =>
  inDataDirectory(env, async (file) => {
    const draft = `${file}.${randomUUID()}`
    await writeFile(draft, `${JSON.stringify(memoryCodec.encode(memory))}\n`, { mode: 0o600 })
    await rename(draft, file)
  })

const inDataDirectory = (env: WriteEnv, write: (file: string) => Promise<void>): Outcome<void> =>
  TE.tryCatch(
    async () => {
      await makeDirectory(env.data)
      await write(memoryFile(env))
    },
    external(`cannot write ${memoryFile(env)}`),
  )

/** Another registry may have given the same id to another account, so the name has to match too. */
const findAccount = ({ registry }: WriteEnv, memory: Memory | undefined): Outcome<Account | undefined> =>
  pipe(
    registry.accounts.all,
    TE.map((accounts) => accounts.find(({ id, name }) => id === memory?.account && O.toNullable(name) === 'demo')),
  )

const createDemoAccount = (env: WriteEnv): Outcome<Account> =>
  pipe(
    // A run that cannot write its memory would create one more demo each time.
    inDataDirectory(env, () => access(env.data, constants.W_OK)),
    TE.flatMap(() => createAccount(env, { id: O.none, name: O.some('demo'), verified: true, location: O.none })),
    TE.map(({ account }) => account),
  )

const createNodes = ({ areas, storage }: WriteEnv, account: Account): Outcome<unknown> =>
  pipe(
    areas.create(account.location),
    TE.mapLeft(withPrefix("cannot create the demo's area")),
    TE.flatMap(() =>
      pipe(
        nodes,
        TE.traverseSeqArray(([name, text]) => {
          const path = name as StoragePath.StoragePath
          return pipe(
            TE.fromTask(nodeExists(storage, account, path)),
            TE.flatMap((exists) => (exists ? TE.right(undefined) : areas.put(account, path, text))),
          )
        }),
      ),
    ),
  )

const demoReport = (
  { areas, baseUrl }: WriteEnv,
  account: Account,
  token: AccessToken.AccessToken,
  trigger: TriggerRecord,
): Report => {
  const user = UserId.toDecimal(account.id)
  const urls = urlsOf(baseUrl, user, token, trigger)
  const json = { token, tokenId: tokenIdOf(token), trigger: triggerJson(trigger), urls }
  return report({ account: accountJson(areas, account), ...json }, [
    'The explorer, in a browser:',
    `  ${baseUrl}/`,
    '',
    'The explorer, as the owner sees it:',
    `  ${baseUrl}/browse/#token=${token}`,
    '',
    'The explorer, as a visitor sees it:',
    `  ${baseUrl}/browse/id/${user}`,
    '',
    `The demo is account ${user}; its files are in ${areas.directoryOf(account.location)}`,
    ...verifyHint(account),
    ...urls.flatMap(({ operation, shows, url }) => ['', `${operation}: ${shows}`, `  ${url}`]),
  ])
}

/** Returns the five operations, named and ordered as in the interface, and some requests that show visibility. */
const urlsOf = (base: string, user: string, token: AccessToken.AccessToken, trigger: TriggerRecord) => {
  const owner = (lookup: string) => `${base}/api/storage/v1/${lookup}/${token}`
  const visitor = (lookup: string) => `${base}/api/usercontent/v1/${lookup}/id/${user}`
  const rows = [
    ['storage tree', 'everything, as the owner sees it', owner('tree')],
    ['user content tree', 'what a visitor sees: no drafts, no diary', visitor('tree')],
    [
      'user content tree',
      'the hidden drafts, for visitors who know the path; the surprise has its own hidden setting, so it is not listed',
      `${visitor('tree')}/photos/drafts`,
    ],
    ['user content tree', 'the private diary: permission denied', `${visitor('tree')}/diary`],
    ['storage directory listing', 'the root directory, as the owner sees it', owner('diritems')],
    ['user content directory listing', 'the root directory, as a visitor sees it', visitor('diritems')],
    ['trigger peek', 'the value of the trigger, without firing it', peekUrl(base, trigger.id)],
  ] as const
  return rows.map(([operation, shows, url]) => ({ operation, shows, url }))
}
