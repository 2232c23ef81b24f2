import { explainVisibility, Settings, StoragePath, type U64, UserId } from '@canopy/domain'
import { causeOf, shellWord } from '@canopy/installation'
import type { Account, RegistryReader, StoredTrigger, TokenRecord } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import { commandOn, type Finding, overlapsOf } from './areas.js'
import type { Env, Outcome } from './Command.js'
import { type AccountSettings, didYouMean, type Exists, exists, listed, type Setting, settingsOf } from './exists.js'
import { external } from './Problem.js'
import type { Report } from './Report.js'
import { openSecrets, warning } from './secretNames.js'
import { brokenMessage, deletionOf } from './trigger.js'

type DoctorEnv = Env<RegistryReader>
type Findings = ReadonlyArray<Finding>

/** A finding as it is printed. `subject` is for people: `account 7`, `trigger bell`. */
const reported =
  (subject: string, about: { readonly account?: string; readonly trigger?: string } = {}) =>
  ({ kind, message, path, note = false }: Finding) => ({
    json: { kind, account: null, path: path ?? null, trigger: null, ...about, message, note },
    line: `${note ? 'note: ' : ''}${subject}${path === undefined ? '' : ` ${path}`}: ${kind}: ${message}`,
  })
type Reported = ReturnType<ReturnType<typeof reported>>

const ofId = ({ id }: Account) => {
  const account = UserId.toDecimal(id)
  return reported(`account ${account}`, { account })
}

/** What runs on it goes on, and what is found in it is not fixed any more. */
const ofNode = (node: string): Findings => {
  const message = 'out of support since 30 April 2026: install Node 24'
  return Number.parseInt(node, 10) > 20 ? [] : [{ kind: 'old Node', message, note: true }]
}

/** Requests are answered also from a damaged registry, and wrongly: a token that is there is not found. */
const ofDamage = (damage: ReadonlyArray<string>): Findings => {
  const hint = 'it may answer wrongly, so stop the server and restore the copy of your last backup'
  return damage.map((what) => ({ kind: 'damaged registry', message: `${what}: ${hint}` }))
}

/** One directory may be meant to be seen in two ways, so it needs no attention. */
const ofOverlaps = (overlaps: ReadonlyArray<string>): Findings => {
  const message = `${overlaps.join('; ')}: what is in both is served by the settings of each`
  return overlaps.length === 0 ? [] : [{ kind: 'overlapping areas', message, note: true }]
}

const orphan = (account: Account, setting: Setting): Findings => {
  const { path, visibility, exists } = setting
  const hint = `make the node, or ${commandOn('visibility remove', account, shellWord(path))}`
  const message = [`set ${visibility}, but no node exists there: ${hint}`, ...didYouMean(path, setting)].join('; ')
  return exists === false ? [{ kind: 'orphan setting', message, path }] : []
}

const unlisted = (settings: Settings.Settings, { path, visibility }: Setting): Findings => {
  const parent = O.toUndefined(StoragePath.parent(path))
  if (visibility === 'private' || parent === undefined) return []
  if (Settings.visibilityAt(settings, parent).visibility !== 'private') return []
  // A hidden node is in no listing anyway.
  const opening = visibility === 'hidden' ? `this public and ${parent}` : parent
  const message = `set ${visibility} below ${parent}, which is private: visitors who know the name are answered, but no listing leads to it; if that is not meant, set ${opening} public or hidden, or this private`
  // An area that is closed as a whole and opened in places is the usual one: nothing between was closed on purpose.
  const { decidedBy } = explainVisibility(settings, parent)
  const isUsual = O.isNone(decidedBy) || decidedBy.value === StoragePath.root
  return [{ kind: 'unlisted below private', message, path, note: isUsual }]
}

/**
 * What the settings of an account bring about. An open secret that has its own setting was most likely meant.
 *
 * @param named the nodes of the area that have the name of a secret
 */
const ofSettings = (
  { account, settings }: AccountSettings,
  listed: ReadonlyArray<Setting>,
  named: ReadonlyArray<StoragePath.StoragePath>,
): Findings => {
  const set = listed.filter(({ exists }) => exists).map(({ path }) => path)
  return [
    ...listed.flatMap((setting) => [...orphan(account, setting), ...unlisted(settings, setting)]),
    ...openSecrets(settings, [...named, ...set]).map((secret) => {
      const { path } = secret
      return {
        kind: 'open secret',
        message: warning(account.id, secret),
        path,
        note: O.isSome(Settings.ownAt(settings, path)),
      }
    }),
  ]
}

/** The directory of a scope may be made later, so a missing one needs no attention. */
const ofToken = ({ expires, scope, tokenId }: TokenRecord, exists: Exists, now: U64.U64): Findings => {
  const revocation = `\`canopy token revoke ${tokenId}\``
  const expired = `token ${tokenId} opens nothing any more: ${revocation} forgets it`
  if (Argument.isPast(now, expires)) return [{ kind: 'expired token', message: expired }]
  const message = `the scope of token ${tokenId}, but no node exists there: make the node, or ${revocation}`
  return exists === false ? [{ kind: 'orphan scope', message, path: scope, note: true }] : []
}

const ofTrigger = (trigger: StoredTrigger, now: U64.U64): Findings => {
  if (E.isLeft(trigger)) return [{ kind: 'broken trigger', message: brokenMessage(trigger.left) }]
  const message = `it is not found any more: ${deletionOf(trigger.right.id)} forgets it`
  return Argument.isPast(now, trigger.right.expires) ? [{ kind: 'expired trigger', message }] : []
}

/** The findings of an area, and the paths in it with the name of a secret. */
const inspected = (
  { areas, progress }: DoctorEnv,
  account: Account,
): Outcome<{ readonly troubles: Findings; readonly secrets: ReadonlyArray<StoragePath.StoragePath> }> => {
  const directory = areas.directoryOf(account.location)
  const troubles: Array<Finding> = []
  const secrets: Array<StoragePath.StoragePath> = []
  let nodes = 0
  const show = () => progress(`walking ${directory}: ${nodes} nodes`)
  const onNode = () => {
    nodes += 1
    show()
  }
  return TE.tryCatch(
    async () => {
      show()
      for await (const found of areas.inspect(account, onNode))
        if (typeof found === 'string') secrets.push(found)
        else troubles.push(found)
      return { troubles, secrets }
    },
    external(`cannot inspect ${directory}`),
  )
}

const ofTokens = ({ registry, storage, now }: DoctorEnv, account: Account): Outcome<Findings> =>
  pipe(
    registry.tokens.of(account.id),
    TE.flatMapTask((tokens) => async () => {
      const found: Array<Finding> = []
      for (const token of tokens) found.push(...ofToken(token, await exists(storage, account, token.scope)(), now))
      return found
    }),
  )

const ofAccount = (env: DoctorEnv, account: Account): Outcome<ReadonlyArray<Reported>> =>
  pipe(
    inspected(env, account),
    TE.bindTo('area'),
    TE.bindW('known', () => settingsOf(env.registry, account.id)),
    TE.bindW('settings', ({ known }) => TE.fromTask(listed(env.storage, known))),
    TE.bindW('tokens', () => ofTokens(env, account)),
    TE.map(({ area: { troubles, secrets }, known, settings, tokens }) =>
      [...troubles, ...ofSettings(known, settings, secrets), ...tokens].map(ofId(account)),
    ),
    // An account that was deleted during the walk has no findings.
    TE.orElse((problem) => (problem.error === 'no such account' ? TE.right([]) : TE.left(problem))),
  )

const describe = (accounts: number, triggers: number, found: ReadonlyArray<Reported>): Report => {
  const notes = found.filter(({ json }) => json.note).length
  const others = found.length - notes
  const summary = [
    others === 0 ? 'Nothing needs attention.' : `Findings: ${others}.`,
    ...(notes === 0 ? [] : [`Notes: ${notes}.`]),
    `Accounts looked at: ${accounts}; triggers: ${triggers}.`,
  ].join(' ')
  return {
    json: found.map(({ json }) => json),
    lines: [...found.map(({ line }) => line), ...(found.length === 0 ? [] : ['']), summary],
    exit: others === 0 ? 0 : 1,
  }
}

/** What in the registry and the storage may surprise an operator. Changes nothing. */
export const doctor = (env: DoctorEnv): Outcome =>
  pipe(
    env.registry.damage,
    TE.bindTo('damage'),
    TE.bindW('reachable', () => TE.fromTask(env.areas.reachable)),
    TE.bindW('accounts', ({ reachable }) =>
      // Directories may lie elsewhere; of an object store that does not answer there is nothing else to say.
      E.isLeft(reachable) && env.areas.areaIs === 'key prefix' ? TE.right([]) : env.registry.accounts.all,
    ),
    TE.bindW('overlaps', ({ accounts }) => TE.fromTask(overlapsOf(env, accounts, true))),
    TE.bindW('areas', ({ accounts }) => TE.traverseSeqArray((account: Account) => ofAccount(env, account))(accounts)),
    TE.bindW('triggers', () => env.registry.triggers.all),
    TE.map(({ accounts, overlaps, damage, areas, reachable, triggers }) => {
      // Without what holds the areas no server is ready, also when every area is a directory elsewhere.
      const missing = E.isRight(reachable)
        ? []
        : [{ kind: 'missing storage', message: `no server is ready without it: ${causeOf(reachable.left.cause)}` }]
      return describe(accounts.length, triggers.length, [
        ...ofNode(env.node).map(reported(`Node ${env.node}`)),
        ...ofDamage(damage).map(reported(`registry ${env.registry.place}`)),
        ...missing.map(reported(`storage ${env.areas.title}`)),
        ...accounts.flatMap((account) => ofOverlaps(overlaps(account.id)).map(ofId(account))),
        ...areas.flat(),
        ...triggers.flatMap((trigger) => {
          const { id } = E.toUnion(trigger)
          return ofTrigger(trigger, env.now).map(reported(`trigger ${id}`, { trigger: id }))
        }),
      ])
    }),
  )
