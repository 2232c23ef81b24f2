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
import { accountJson, makeAccount, verifyHint } from './account.js'
import type { Outcome, WriteEnv } from './Command.js'
import { exists } from './exists.js'
import { external, failed, unless, without } from './Problem.js'
import { type Report, report } from './Report.js'
import { newToken } from './token.js'
import { newTriggerId, peekUrl, triggerJson, triggerValue } from './trigger.js'

/** Directories before what is in them; what has a text is a file. */
const nodes: ReadonlyArray<readonly [path: string, text?: string]> = [
  ['/welcome.txt', 'Everybody sees this file: the root is set public, and the file inherits that.\n'],
  ['/photos'],
  ['/photos/beach.txt', 'Public, inherited from the root.\n'],
  ['/photos/drafts'],
  ['/photos/drafts/sketch.txt', 'Hidden, inherited: whoever knows the name of the directory finds it.\n'],
  ['/photos/drafts/old'],
  ['/photos/drafts/old/first.txt', 'Hidden, inherited from two directories above.\n'],
  ['/photos/drafts/press'],
  ['/photos/drafts/press/release.txt', 'Public, though the directory above is hidden.\n'],
  ['/photos/drafts/surprise.txt', 'Set hidden itself: not shown even to those who found the drafts.\n'],
  ['/diary'],
  ['/diary/monday.txt', 'Private, inherited: only a token opens this.\n'],
]

const settings: ReadonlyArray<readonly [path: string, visibility: Visibility.Visibility]> = [
  ['/', 'public'],
  ['/photos/drafts', 'hidden'],
  ['/photos/drafts/press', 'public'],
  ['/photos/drafts/surprise.txt', 'hidden'],
  ['/diary', 'private'],
]

const triggerFields = '{"message":"Peeked, not fired.","path":"/photos","count":18446744073709551615}'

/** What the next run must know: the registry has only the hash of a token. */
const memoryCodec = t.type({
  account: UserId.codec,
  token: t.type({ token: AccessToken.codec }),
  trigger: TriggerId.codec,
})
type Memory = t.TypeOf<typeof memoryCodec>

const fileIn = ({ data }: WriteEnv): string => join(data, 'demo.json')

/** Nothing when the demo never ran here. */
const recall = (env: WriteEnv): Outcome<Memory | undefined> => {
  const file = fileIn(env)
  // Nothing of the file is repeated: the id of a trigger is a secret.
  const whatToDo = `remove it, and the demo starts afresh; what an earlier one made stays until \`canopy account delete ID\` (\`canopy account list\` shows its account, named demo) and \`canopy trigger delete ID\` (\`canopy trigger list\` shows its trigger)`
  return pipe(
    TE.tryCatch(() => readFile(file, 'utf8').catch(unless('ENOENT')), external(`cannot read ${file}`)),
    TE.flatMapEither((text) =>
      text === undefined
        ? E.right(undefined)
        : pipe(
            E.tryCatch((): unknown => JSON.parse(text), E.toError),
            E.flatMap(memoryCodec.decode),
            E.mapLeft(() => failed('wrong demo file')(`${file} is not what the demo wrote`, whatToDo)),
          ),
    ),
  )
}

const toFile = (env: WriteEnv, write: (file: string) => Promise<void>): Outcome<void> =>
  TE.tryCatch(
    async () => {
      await makeDirectory(env.data)
      await write(fileIn(env))
    },
    external(`cannot write ${fileIn(env)}`),
  )

/** Readable by its owner alone: it holds a token. Replaced whole: no other run finds half of it. */
const remember = (env: WriteEnv, memory: Memory): Outcome<void> =>
  toFile(env, async (file) => {
    const draft = `${file}.${randomUUID()}`
    await writeFile(draft, `${JSON.stringify(memoryCodec.encode(memory))}\n`, { mode: 0o600 })
    await rename(draft, file)
  })

/** The remembered account, if this registry has it. Another registry may have given the same id away. */
const accountOf = ({ registry }: WriteEnv, memory: Memory | undefined): Outcome<Account | undefined> =>
  pipe(
    registry.accounts.all,
    TE.map((accounts) => accounts.find(({ id, name }) => id === memory?.account && O.toNullable(name) === 'demo')),
  )

const newAccount = (env: WriteEnv): Outcome<Account> =>
  pipe(
    // Without its memory each run would make everything again.
    toFile(env, () => access(env.data, constants.W_OK)),
    TE.flatMap(() => makeAccount(env, { id: O.none, name: O.some('demo'), verified: true, location: O.none })),
    TE.map(({ account }) => account),
  )

/** Makes what is missing of the area; what is there stays. */
const fill = ({ areas, storage }: WriteEnv, account: Account): Outcome<unknown> =>
  pipe(
    areas.create(account.location),
    TE.mapLeft(without('the demo has no area')),
    TE.flatMap(() =>
      pipe(
        nodes,
        TE.traverseSeqArray(([name, text]) => {
          const path = name as StoragePath.StoragePath
          return pipe(
            TE.fromTask(exists(storage, account, path)),
            TE.flatMap((isThere) => (isThere ? TE.right(undefined) : areas.put(account, path, text))),
          )
        }),
      ),
    ),
  )

/** Each of the five operations, in the interface's order and words, and some calls that show more. */
const urlsOf = (base: string, user: string, token: AccessToken.AccessToken, trigger: TriggerRecord) => {
  const owner = (lookup: string) => `${base}/api/storage/v1/${lookup}/${token}`
  const visitor = (lookup: string) => `${base}/api/usercontent/v1/${lookup}/id/${user}`
  const rows = [
    ['storage tree', 'everything, as the owner sees it', owner('tree')],
    ['user content tree', 'what a visitor sees of it: no drafts, no diary', visitor('tree')],
    [
      'user content tree',
      'the hidden drafts, for those who know their name: not the surprise, which is set hidden itself',
      `${visitor('tree')}/photos/drafts`,
    ],
    ['user content tree', 'the private diary: permission denied', `${visitor('tree')}/diary`],
    ['storage directory listing', 'the root directory, as the owner sees it', owner('diritems')],
    ['user content directory listing', 'the root directory, as a visitor sees it', visitor('diritems')],
    ['trigger peek', 'what the trigger holds, without firing it', peekUrl(base, trigger.id)],
  ] as const
  return rows.map(([operation, shows, url]) => ({ operation, shows, url }))
}

const describe = (
  { areas, baseUrl }: WriteEnv,
  account: Account,
  token: AccessToken.AccessToken,
  trigger: TriggerRecord,
): Report => {
  const user = UserId.toDecimal(account.id)
  const urls = urlsOf(baseUrl, user, token, trigger)
  const json = { token, tokenId: tokenIdOf(token), trigger: triggerJson(trigger), urls }
  return report({ account: accountJson(areas, account), ...json }, [
    'Open in a browser: the explorer',
    `  ${baseUrl}/`,
    '',
    'the explorer: everything, as the owner sees it',
    `  ${baseUrl}/browse/#token=${token}`,
    '',
    'the explorer: what a visitor sees of it',
    `  ${baseUrl}/browse/id/${user}`,
    '',
    `The demo is account ${user}; its files: ${areas.directoryOf(account.location)}`,
    ...verifyHint(account),
    ...urls.flatMap(({ operation, shows, url }) => ['', `${operation}: ${shows}`, `  ${url}`]),
  ])
}

/** An account that shows what Canopy does. Run again, it makes what is gone, and prints the same. */
export const demo = (env: WriteEnv): Outcome =>
  pipe(
    recall(env),
    TE.bindTo('memory'),
    TE.bindW('known', ({ memory }) => accountOf(env, memory)),
    TE.bindW('account', ({ known }) => (known === undefined ? newAccount(env) : TE.right(known))),
    TE.bindW('tokens', ({ account }) => env.registry.tokens.of(account.id)),
    TE.bindW('triggers', () => env.registry.triggers.all),
    TE.bindW('isThere', ({ account }) => TE.fromTask(exists(env.storage, account, StoragePath.root))),
    TE.bindW('value', () => TE.fromEither(triggerValue('demo', triggerFields))),
    TE.flatMap(({ memory, known, account, tokens, triggers, isThere, value }) => {
      const isLive = ({ expires }: Pick<TriggerRecord, 'expires'>) => !Argument.isPast(env.now, expires)
      const isNew = known === undefined
      const old = isNew ? undefined : memory?.token.token
      const isOpening = old !== undefined && tokens.some((one) => one.tokenId === tokenIdOf(old) && isLive(one))
      const token = isOpening ? old : newToken()
      const found = RA.rights(triggers).find(({ id, expires }) => id === memory?.trigger && isLive({ expires }))
      const trigger = found ?? { id: newTriggerId(), value, expires: O.none }
      const newTokenRow = {
        token,
        account: account.id,
        scope: StoragePath.root,
        expires: O.none,
        label: O.some('demo'),
      }
      const settingRows = settings.map(([path, visibility]) => ({
        account: account.id,
        path: path as StoragePath.StoragePath,
        visibility,
      }))
      return pipe(
        // Files are made again only when their whole area is gone, as after a change of the storage.
        isNew || isThere !== true ? fill(env, account) : TE.right(undefined),
        TE.flatMap(() =>
          env.registry.addAll({
            accounts: [],
            tokens: isOpening ? [] : [newTokenRow],
            // Once: what an operator changed in the demo stays changed.
            settings: isNew ? settingRows : [],
            triggers: found === undefined ? [trigger] : [],
          }),
        ),
        TE.flatMap(() =>
          isOpening && found !== undefined
            ? TE.right(undefined)
            : remember(env, { account: account.id, token: { token }, trigger: trigger.id }),
        ),
        TE.map(() => describe(env, account, token, trigger)),
      )
    }),
  )
