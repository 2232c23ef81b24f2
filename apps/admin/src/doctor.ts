import { explainVisibility, Settings, StoragePath, type U64, UserId } from '@canopy/domain'
import { reasonOf, shellWord } from '@canopy/installation'
import type { Account, RegistryReader, StoredTrigger, TokenRecord } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { commandOn, type Finding } from './AreaStore.js'
import * as Argument from './Argument.js'
import type { Env, Outcome } from './Command.js'
import { inspectArea } from './inspectArea.js'
import {
  type AccountSettings,
  accountSettings,
  describeLookAlike,
  type Existence,
  lookUpSettings,
  nodeExists,
  type SettingWithNode,
} from './nodeLookup.js'
import { overlapsOf } from './overlaps.js'
import { type Report, withCount } from './Report.js'
import { describeSecret, exposedSecrets } from './secretNames.js'
import { deleteCommand, describeBroken } from './trigger.js'

type DoctorEnv = Env<RegistryReader>
type Findings = ReadonlyArray<Finding>

/** Checks the registry and the storage for conditions that may surprise an operator. Changes nothing. */
export const doctor = (env: DoctorEnv): Outcome =>
  pipe(
    env.registry.damage,
    TE.bindTo('damage'),
    TE.bindW('reachable', () => TE.fromTask(env.areas.reachable)),
    TE.bindW('readable', ({ reachable }) =>
      TE.fromTask((env.servesFiles && E.isRight(reachable) && env.areas.filesReadable) || TE.right(undefined)),
    ),
    TE.bindW('accounts', ({ reachable }) =>
      // Directories may lie outside the storage, so check those. Without the object store no key prefix can be read.
      E.isLeft(reachable) && env.areas.kind !== 'directory' ? TE.right([]) : env.registry.accounts.all,
    ),
    TE.bindW('overlaps', ({ accounts }) => TE.fromTask(overlapsOf(env, accounts, { once: true }))),
    TE.bindW('areas', ({ accounts }) =>
      TE.traverseSeqArray((account: Account) => checkAccount(env, account))(accounts),
    ),
    TE.bindW('triggers', () => env.registry.triggers.all),
    TE.map(({ accounts, overlaps, damage, areas, reachable, readable, triggers }) => {
      const unreachable = E.isRight(reachable) ? [] : unreachableFindings(reachable.left.cause)
      const unreadable = E.isRight(readable) ? [] : unreadableFindings(readable.left.cause)
      const { kind, title } = env.areas
      return summarize(accounts.length, triggers.length, [
        ...nodeVersionFindings(env.nodeVersion).map(toEntry(`Node ${env.nodeVersion}`)),
        ...damageFindings(damage).map(toEntry(`registry ${env.registry.place}`)),
        ...[...unreachable, ...unreadable].map(toEntry(`storage ${title}`)),
        ...accounts.flatMap((account) => overlapFindings(kind, overlaps(account.id)).map(toAccountEntry(account))),
        ...areas.flat(),
        ...triggers.flatMap((trigger) => {
          const { id } = E.toUnion(trigger)
          return triggerFindings(trigger, env.now).map(toEntry(`trigger ${id}`, { trigger: id }))
        }),
      ])
    }),
  )

/** Returns a finding as JSON and as a line of text, which begins with the subject: `account 7`, `trigger bell`. */
const toEntry =
  (subject: string, ids: { readonly account?: string; readonly trigger?: string } = {}) =>
  ({ kind, message, path, note = false }: Finding) => ({
    json: { kind, account: null, path: path ?? null, trigger: null, ...ids, message, note },
    line: `${note ? 'note: ' : ''}${subject}${path === undefined ? '' : ` ${path}`}: ${kind}: ${message}`,
  })
type Entry = ReturnType<ReturnType<typeof toEntry>>

const toAccountEntry = ({ id }: Account) => {
  const account = UserId.toDecimal(id)
  return toEntry(`account ${account}`, { account })
}

const summarize = (accountCount: number, triggerCount: number, entries: ReadonlyArray<Entry>): Report => {
  const noteCount = entries.filter(({ json }) => json.note).length
  const findingCount = entries.length - noteCount
  const summary = [
    findingCount === 0 ? 'No findings' : withCount(findingCount, 'finding'),
    ...(noteCount === 0 ? [] : [withCount(noteCount, 'note')]),
  ].join(', ')
  return {
    json: entries.map(({ json }) => json),
    lines: [
      ...entries.map(({ line }) => line),
      ...(entries.length === 0 ? [] : ['']),
      `${summary}. Checked ${withCount(accountCount, 'account')} and ${withCount(triggerCount, 'trigger')}.`,
    ],
    exit: findingCount === 0 ? 0 : 1,
  }
}

/** Reports as a note that Node 20 gets no security fixes: Canopy still runs on it. */
const nodeVersionFindings = (nodeVersion: string): Findings => {
  const message = 'this version reached end of life on 30 April 2026: install Node 24'
  return Number.parseInt(nodeVersion, 10) > 20 ? [] : [{ kind: 'outdated Node', message, note: true }]
}

/** Finds damage. A damaged registry still answers, but may miss existing tokens. */
const damageFindings = (damage: ReadonlyArray<string>): Findings => {
  const hint = 'Responses may be wrong: stop the server and restore your last backup'
  return damage.map((fault) => ({ kind: 'damaged registry', message: `${fault}. ${hint}` }))
}

/** Servers are not ready while the storage is unreachable, even if every area lies elsewhere. */
const unreachableFindings = (cause: unknown): Findings => [
  {
    kind: 'missing storage',
    message: `the server is not ready (/readyz) while the storage is unavailable: ${reasonOf(cause)}`,
  },
]

const unreadableFindings = (cause: unknown): Findings => [
  { kind: 'unreadable files', message: `a server with CANOPY_FILES=on cannot serve file contents: ${reasonOf(cause)}` },
]

/** Reports overlaps as notes, because an operator may want to serve one directory under two settings. */
const overlapFindings = (kind: string, overlaps: ReadonlyArray<string>): Findings => {
  const message = `the ${kind} ${overlaps.join('; ')}: files in both are served through each account, under its own settings`
  return overlaps.length === 0 ? [] : [{ kind: 'overlapping areas', message, note: true }]
}

const checkAccount = (env: DoctorEnv, account: Account): Outcome<ReadonlyArray<Entry>> =>
  pipe(
    inspectArea(env, account),
    TE.bindTo('area'),
    TE.bindW('current', () => accountSettings(env.registry, account.id)),
    TE.bindW('settings', ({ current }) => TE.fromTask(lookUpSettings(env.storage, current))),
    TE.bindW('tokens', () => checkTokens(env, account)),
    TE.map(({ area, current, settings, tokens }) =>
      [...area.findings, ...settingFindings(current, settings, area.secretPaths), ...tokens].map(
        toAccountEntry(account),
      ),
    ),
    // The account was deleted during the walk.
    TE.orElse((failure) => (failure.error === 'no such account' ? TE.right([]) : TE.left(failure))),
  )

const settingFindings = (
  { account, settings }: AccountSettings,
  found: ReadonlyArray<SettingWithNode>,
  secretPaths: ReadonlyArray<StoragePath.StoragePath>,
): Findings => {
  const existing = found.filter(({ exists }) => exists).map(({ path }) => path)
  return [
    ...found.flatMap((setting) => [...orphanFindings(account, setting), ...unlistedFindings(settings, setting)]),
    ...exposedSecrets(settings, [...secretPaths, ...existing]).map((secret) => ({
      kind: 'exposed secret',
      message: describeSecret(account.id, secret),
      path: secret.path,
      // A setting on the node itself is probably deliberate.
      note: O.isSome(Settings.ownAt(settings, secret.path)),
    })),
  ]
}

const orphanFindings = (account: Account, setting: SettingWithNode): Findings => {
  const { path, visibility, exists } = setting
  const hint = `create it, or run ${commandOn('visibility remove', account, shellWord(path))}`
  const message = [`the path is set to ${visibility}, but does not exist: ${hint}`, ...describeLookAlike(setting)]
  return exists === false ? [{ kind: 'orphan setting', message: message.join('. '), path }] : []
}

const unlistedFindings = (settings: Settings.Settings, { path, visibility }: SettingWithNode): Findings => {
  const parent = O.toUndefined(StoragePath.parent(path))
  if (visibility === 'private' || parent === undefined) return []
  if (Settings.visibilityAt(settings, parent).visibility !== 'private') return []
  // No listing shows a hidden node, so listing it requires making it public too.
  const opening = visibility === 'hidden' ? `make it public and make ${parent}` : `make ${parent}`
  const message = `the path is set to ${visibility}, but its parent ${parent} is private: visitors who know the path can request it, but no listing shows it; to list it, ${opening} public or hidden; to block access, make it private`
  // Areas are usually private as a whole and opened in places. Only a private directory in between is probably a mistake.
  const { decidedBy } = explainVisibility(settings, parent)
  const isUsual = O.isNone(decidedBy) || decidedBy.value.path === StoragePath.root
  return [{ kind: 'private parent', message, path, note: isUsual }]
}

const checkTokens = ({ registry, storage, now }: DoctorEnv, account: Account): Outcome<Findings> =>
  pipe(
    registry.tokens.of(account.id),
    TE.flatMapTask((tokens) => async () => {
      const findings: Array<Finding> = []
      for (const token of tokens)
        findings.push(...tokenFindings(token, await nodeExists(storage, account, token.scope)(), now))
      return findings
    }),
  )

/** Finds expired tokens and missing scopes. A missing scope is only a note, because its directory may be created later. */
const tokenFindings = ({ expires, scope, tokenId }: TokenRecord, exists: Existence, now: U64.U64): Findings => {
  const revocation = `\`canopy token revoke ${tokenId}\``
  const expired = `token ${tokenId} has expired: run ${revocation} to remove it`
  if (Argument.isPast(now, expires)) return [{ kind: 'expired token', message: expired }]
  const message = `token ${tokenId} is limited to this path, but the path does not exist: create it, or run ${revocation}`
  return exists === false ? [{ kind: 'orphan scope', message, path: scope, note: true }] : []
}

const triggerFindings = (trigger: StoredTrigger, now: U64.U64): Findings => {
  if (E.isLeft(trigger)) return [{ kind: 'broken trigger', message: describeBroken(trigger.left) }]
  const message = `the trigger has expired: run ${deleteCommand(trigger.right.id)} to delete it`
  return Argument.isPast(now, trigger.right.expires) ? [{ kind: 'expired trigger', message }] : []
}
