import type { Account } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PlaceEnv, RegistryEnv, StorageEnv } from '../CommandEnv.js'
import { type MadeAccount, makeAccount } from '../makeAccount.js'
import type { Problem } from '../Problem.js'
import { refused } from '../refused.js'
import * as DemoMemory from './DemoMemory.js'

type Env = RegistryEnv & StorageEnv & PlaceEnv

/** The demo so far: its account, and what the next run must know of it. */
export interface Demo {
  readonly account: Account
  readonly memory: DemoMemory.DemoMemory
}

/** Keeps what changed for the next run. */
export const remember =
  ({ data }: PlaceEnv) =>
  (demo: Demo): TE.TaskEither<Problem, Demo> =>
    pipe(
      DemoMemory.save(data, demo.memory),
      TE.map(() => demo),
    )

const demoName = 'demo'

const make: (env: Env) => TE.TaskEither<Problem, MadeAccount> = makeAccount({
  id: O.none,
  name: O.some(demoName),
  verified: true,
  location: O.none,
})

const remembered = (memory: DemoMemory.DemoMemory, accounts: ReadonlyArray<Account>): O.Option<Demo> =>
  pipe(
    O.fromNullable(accounts.find(({ id }) => id === memory.account)),
    // Another registry may have given the same id to somebody else.
    O.filter(({ name }) => O.toNullable(name) === demoName),
    O.map((account) => ({ account, memory })),
  )

const begin =
  (env: Env) =>
  ({ account }: MadeAccount): TE.TaskEither<Problem, Demo> =>
    remember(env)({ account, memory: { account: account.id, planted: false, token: null, trigger: null } })

/** The remembered account if this registry still has it, else a new one: never an account of somebody else. */
export const demoAccount = (env: Env): TE.TaskEither<Problem, Demo> =>
  pipe(
    DemoMemory.load(env.data),
    TE.bindTo('memory'),
    TE.bind('accounts', () => pipe(env.registry.accounts.all, TE.mapLeft(refused))),
    TE.flatMap(({ memory, accounts }) =>
      pipe(
        memory,
        O.flatMap((known) => remembered(known, accounts)),
        O.match(
          () =>
            pipe(
              DemoMemory.canSave(env.data),
              TE.flatMap(() => make(env)),
              TE.flatMap(begin(env)),
            ),
          TE.right,
        ),
      ),
    ),
  )
