import { type StoragePath, UserId } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import type { Account, RegistryReader } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaMap, areaOf } from './areas.js'
import { type Env, external, type Outcome, type Report } from './Command.js'
import * as Existence from './Existence.js'
import * as findings from './findings.js'

type DoctorEnv = Env<RegistryReader>
type Findings = ReadonlyArray<findings.Finding>

/** What runs on it goes on, and what is found in it is not fixed any more. */
const ofNode = ({ node }: DoctorEnv): Findings => {
  const message = 'out of support since 30 April 2026: install Node 24'
  return Number.parseInt(node, 10) > 20 ? [] : [findings.finding(`Node ${node}`, 'old Node', message, { note: true })]
}

/** Requests are answered also from a damaged registry, and wrongly: a token that is there is not found. */
const ofDamage = ({ registry: { place } }: DoctorEnv, damage: ReadonlyArray<string>): Findings => {
  const hint = 'it may answer wrongly, so stop the server and restore the copy of your last backup'
  return damage.map((what) => findings.finding(`registry ${place}`, 'damaged registry', `${what}: ${hint}`))
}

/** Without what holds the areas no server is ready, also when every area is a directory elsewhere. */
const ofStorage = ({ areas }: DoctorEnv): T.Task<Findings> =>
  pipe(
    areas.reachable,
    TE.match(
      ({ cause }) => {
        const message = `no server is ready without it: ${causeOf(cause)}`
        return [findings.finding(`storage ${areas.title}`, 'missing storage', message)]
      },
      () => [],
    ),
  )

/** After this time a person may wonder whether the command hangs. */
const slowMs = 10_000

const inspected = (
  { areas, progress, say }: DoctorEnv,
  account: Account,
): Outcome<{ readonly troubles: Findings; readonly secrets: ReadonlyArray<StoragePath.StoragePath> }> => {
  const directory = areas.directoryOf(account.location)
  return TE.tryCatch(
    async () => {
      const slow = `still walking the area of account ${UserId.toDecimal(account.id)}, ${directory}`
      const timer = setTimeout(() => say(slow), slowMs)
      try {
        const troubles: Array<findings.Finding> = []
        const secrets: Array<StoragePath.StoragePath> = []
        let nodes = 0
        const onNode = () => {
          nodes += 1
          progress(`walking ${directory}: ${nodes} nodes`)
        }
        for await (const found of areas.inspect(account, onNode))
          if (typeof found === 'string') secrets.push(found)
          else troubles.push(found)
        return { troubles, secrets }
      } finally {
        clearTimeout(timer)
      }
    },
    external(`cannot inspect ${directory}`),
  )
}

const ofTokens = ({ registry, storage, now }: DoctorEnv, account: Account): Outcome<Findings> =>
  pipe(
    registry.tokens.of(account.id),
    TE.flatMapTask((tokens) => async () => {
      const found: Array<findings.Finding> = []
      for (const token of tokens)
        found.push(...findings.ofToken(token, await Existence.of(storage, areaOf(account), token.scope)(), now))
      return found
    }),
  )

const ofAccount = (env: DoctorEnv, account: Account): Outcome<Findings> =>
  pipe(
    inspected(env, account),
    TE.bindTo('area'),
    TE.bindW('known', () => Existence.settingsOf(env.registry, account.id)),
    TE.bindW('listed', ({ known }) => TE.fromTask(Existence.ofSettings(env.storage, known))),
    TE.bindW('tokens', () => ofTokens(env, account)),
    TE.map(({ area, known, listed, tokens }) => [
      ...area.troubles,
      ...findings.ofSettings(known, listed, area.secrets),
      ...tokens,
    ]),
    // An account that was deleted during the walk has no findings.
    TE.orElse((problem) => (problem.error === 'no such account' ? TE.right([]) : TE.left(problem))),
  )

const describe = (accounts: number, triggers: number, found: Findings): Report => {
  const notes = found.filter(({ note }) => note).length
  const others = found.length - notes
  const summary = [
    others === 0 ? 'Nothing needs attention.' : `Findings: ${others}.`,
    ...(notes === 0 ? [] : [`Notes: ${notes}.`]),
    `Accounts looked at: ${accounts}; triggers: ${triggers}.`,
  ].join(' ')
  return {
    json: found.map(findings.toJson),
    lines: [...found.map(findings.toLine), ...(found.length === 0 ? [] : ['']), summary],
    exit: others === 0 ? 0 : 1,
  }
}

/** What in the registry and the storage may surprise an operator. Changes nothing. */
export const doctor = (env: DoctorEnv): Outcome =>
  pipe(
    env.registry.damage,
    TE.bindTo('damage'),
    TE.bindW('storage', () => TE.fromTask(ofStorage(env))),
    TE.bindW('accounts', ({ storage }) =>
      // Directories may lie elsewhere; of an object store that does not answer there is nothing else to say.
      storage.length > 0 && env.areas.areaIs === 'key prefix' ? TE.right([]) : env.registry.accounts.all,
    ),
    TE.bindW('map', ({ accounts }) => TE.fromTask(areaMap(env, accounts))),
    TE.bindW('areas', ({ accounts }) => TE.traverseSeqArray((account: Account) => ofAccount(env, account))(accounts)),
    TE.bindW('triggers', () => env.registry.triggers.all),
    TE.map(({ accounts, map, damage, areas, storage, triggers }) =>
      describe(accounts.length, triggers.length, [
        ...ofNode(env),
        ...ofDamage(env, damage),
        ...storage,
        ...accounts.flatMap((account) => findings.ofOverlaps(map, account)),
        ...areas.flat(),
        ...triggers.flatMap((trigger) => findings.ofTrigger(trigger, env.now)),
      ]),
    ),
  )
