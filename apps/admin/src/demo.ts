import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { access, constants, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AccessToken, StoragePath, TriggerId, UserId, type Visibility } from '@canopy/domain'
import type { Account, TriggerRecord } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { NewNode } from './AreaStore.js'
import * as Argument from './Argument.js'
import { accountJson, makeAccount, verifyHint } from './account.js'
import { external, failed, type Outcome, unless, type WriteEnv } from './Command.js'
import { type Report, report } from './Report.js'
import { newToken } from './token.js'
import { newTriggerId, peekUrl, triggerJson, triggerValue } from './trigger.js'

const nodes: ReadonlyArray<NewNode> = [
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

/** What the next run must know: the registry has only the hash of a token. `planted` once files and settings are there. */
const memoryCodec = t.strict({
  account: UserId.codec,
  planted: t.boolean,
  token: t.union([t.strict({ token: AccessToken.codec, tokenId: t.string }), t.null]),
  trigger: t.union([TriggerId.codec, t.null]),
})
type Memory = t.TypeOf<typeof memoryCodec>

const nothingYet = { planted: false, token: null, trigger: null }

interface Demo {
  readonly account: Account
  readonly memory: Memory
}

type WithToken = Demo & { readonly token: NonNullable<Memory['token']> }

/** Node's own recursive `mkdir` loops for ever where no directory can be made, as in `/proc`. */
const makeDirectory = async (directory: string): Promise<void> => {
  if (existsSync(directory)) return
  await makeDirectory(dirname(directory))
  await mkdir(directory, { mode: 0o750 }).catch(unless('EEXIST'))
}

const fileIn = (data: string): string => join(data, 'demo.json')

/** Nothing when the demo never ran here. */
const recall = ({ data }: WriteEnv): Outcome<Memory | undefined> => {
  const file = fileIn(data)
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

const toFile = (data: string, write: (file: string) => Promise<void>): Outcome<void> =>
  TE.tryCatch(
    async () => {
      await makeDirectory(data)
      await write(fileIn(data))
    },
    external(`cannot write ${fileIn(data)}`),
  )

/** Readable by its owner alone: it holds a token. Replaced whole: no other run finds half of it. */
const remember = ({ data }: WriteEnv, { memory }: Demo): Outcome<void> =>
  toFile(data, async (file) => {
    const draft = `${file}.${randomUUID()}`
    await writeFile(draft, `${JSON.stringify(memoryCodec.encode(memory))}\n`, { mode: 0o600 })
    await rename(draft, file)
  })

const newDemo = (env: WriteEnv): Outcome<Demo> =>
  pipe(
    // Without its memory each run would make everything again.
    toFile(env.data, () => access(env.data, constants.W_OK)),
    TE.flatMap(() => makeAccount(env, { id: O.none, name: O.some('demo'), verified: true, location: O.none })),
    TE.map(({ account }) => ({ account, memory: { ...nothingYet, account: account.id } })),
    TE.tap((demo) => remember(env, demo)),
  )

/** The remembered account if this registry has it, else a new one. Another registry may have given the same id away. */
const demoAccount = (env: WriteEnv): Outcome<Demo> =>
  pipe(
    recall(env),
    TE.bindTo('memory'),
    TE.bindW('accounts', () => env.registry.accounts.all),
    TE.flatMap(({ memory, accounts }) => {
      const known = accounts.find(({ id, name }) => id === memory?.account && O.toNullable(name) === 'demo')
      return memory === undefined || known === undefined ? newDemo(env) : TE.right({ account: known, memory })
    }),
  )

const makeSettings = ({ registry }: WriteEnv, { id }: Account): Outcome<unknown> =>
  pipe(
    settings,
    TE.traverseSeqArray(([path, visibility]) =>
      pipe(
        TE.fromEither(Argument.path(path)),
        TE.flatMap((at): Outcome<unknown> => registry.settings.set(id, at, visibility)),
      ),
    ),
  )

/**
 * Settings are made once: what an operator changed in the demo stays changed. Files are made again only when their whole
 * area is gone, as after a change of the storage.
 */
const fill = (env: WriteEnv, demo: Demo): Outcome<Demo> => {
  const { account, memory } = demo
  const made = pipe(
    env.areas.fill(account, nodes),
    TE.flatMap((): Outcome<unknown> => (memory.planted ? TE.right(undefined) : makeSettings(env, account))),
    TE.map(() => ({ account, memory: { ...memory, planted: true } })),
    TE.tap((filled) => remember(env, filled)),
  )
  return pipe(
    memory.planted ? TE.fromTask(env.areas.has(account)) : TE.right(false),
    TE.flatMap((isThere) => (isThere ? TE.right(demo) : made)),
  )
}

/** The remembered token while it opens the area, else a new one. */
const withToken = (env: WriteEnv, { account, memory }: Demo): Outcome<WithToken> =>
  pipe(
    env.registry.tokens.of(account.id),
    TE.flatMap((tokens): Outcome<WithToken> => {
      const known = tokens.find(({ tokenId }) => tokenId === memory.token?.tokenId)
      if (memory.token !== null && known !== undefined && !Argument.isPast(env.now, known.expires))
        return TE.right({ account, memory, token: memory.token })
      const made = { token: newToken(env), account: account.id, scope: StoragePath.root, expires: O.none }
      return pipe(
        env.registry.tokens.add({ ...made, label: O.some('demo') }),
        TE.map(({ tokenId }) => ({ token: made.token, tokenId })),
        TE.map((token) => ({ account, memory: { ...memory, token }, token })),
        TE.tap((demo) => remember(env, demo)),
      )
    }),
  )

/** The remembered trigger while it is found, else a new one. */
const withTrigger = (env: WriteEnv, { account, memory }: Demo): Outcome<TriggerRecord> =>
  pipe(
    env.registry.triggers.all,
    TE.flatMap((triggers) => {
      const known = RA.rights(triggers).find(({ id }) => id === memory.trigger)
      if (known !== undefined && !Argument.isPast(env.now, known.expires)) return TE.right(known)
      return pipe(
        TE.fromEither(triggerValue('demo', triggerFields)),
        TE.flatMap((value) => env.registry.triggers.create({ id: newTriggerId(env), value, expires: O.none })),
        TE.tap(({ id }) => remember(env, { account, memory: { ...memory, trigger: id } })),
      )
    }),
  )

/** Each of the five operations, in the interface's order and words, and some calls that show more. */
const urlsOf = (base: string, { account, token: { token } }: WithToken, { id }: TriggerRecord) => {
  const owner = (lookup: string) => `${base}/api/storage/v1/${lookup}/${token}`
  const visitor = (lookup: string) => `${base}/api/usercontent/v1/${lookup}/id/${UserId.toDecimal(account.id)}`
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
    ['trigger peek', 'what the trigger holds, without firing it', peekUrl(base, id)],
  ] as const
  return rows.map(([operation, shows, url]) => ({ operation, shows, url }))
}

const describe = ({ areas, baseUrl }: WriteEnv, demo: WithToken, trigger: TriggerRecord): Report => {
  const { account, token } = demo
  const urls = urlsOf(baseUrl, demo, trigger)
  return report({ account: accountJson(areas, account), ...token, trigger: triggerJson(trigger), urls }, [
    'Open in a browser: the explorer',
    `  ${baseUrl}/`,
    '',
    'the explorer: everything, as the owner sees it',
    `  ${baseUrl}/browse/#token=${token.token}`,
    '',
    'the explorer: what a visitor sees of it',
    `  ${baseUrl}/browse/id/${UserId.toDecimal(account.id)}`,
    '',
    `The demo is account ${UserId.toDecimal(account.id)}; its files: ${areas.directoryOf(account.location)}`,
    ...verifyHint(account),
    ...urls.flatMap(({ operation, shows, url }) => ['', `${operation}: ${shows}`, `  ${url}`]),
  ])
}

/** An account that shows what Canopy does. Run again, it changes nothing and prints the same. */
export const demo = (env: WriteEnv): Outcome =>
  pipe(
    demoAccount(env),
    TE.flatMap((made) => fill(env, made)),
    TE.flatMap((filled) => withToken(env, filled)),
    TE.bindTo('made'),
    TE.bindW('trigger', ({ made }) => withTrigger(env, made)),
    TE.map(({ made, trigger }) => describe(env, made, trigger)),
  )
