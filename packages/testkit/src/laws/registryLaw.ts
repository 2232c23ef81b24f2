import type { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { RegistryPorts, SeedRegistry } from '../Ports.js'
import { seeding } from '../seed/seeding.js'
import type { World, WorldAccount, WorldSetting, WorldToken, WorldTrigger } from '../World.js'
import { all, type Claim, inTime, type Law, unlessUnanswered } from './Law.js'
import { saidName } from './storageClaims.js'

export type RegistryClaim = Claim<RegistryPorts>

/** Asked this, a port must answer so: a failure by its name, anything else as `said` says it. */
export const answers =
  <A>(
    question: string,
    ask: (ports: RegistryPorts) => TE.TaskEither<Failure.Failure, A>,
    said: (answer: A) => string,
    expected: string,
  ): RegistryClaim =>
  async (ports) => {
    const found = pipe(
      await ask(ports)(),
      E.match(({ error }): string => error, said),
    )
    return found === expected ? [] : [`${question} must be ${expected}, and is ${found}`]
  }

/** A claim about a value of the domain; a law that spells it wrongly is violated by every registry. */
export const about = <A>(
  question: string,
  value: E.Either<unknown, A>,
  claim: (value: A) => RegistryClaim,
): RegistryClaim =>
  pipe(
    value,
    E.match((): RegistryClaim => async () => [`the law itself is wrong: ${question} asks for nothing legal`], claim),
  )

const inTimeAll = (ports: RegistryPorts): RegistryPorts => ({
  areaOfToken: (token) => inTime(`areaOfToken ${saidName(token)}`, () => ports.areaOfToken(token)),
  areaOfUser: (user) => inTime(`areaOfUser ${user}`, () => ports.areaOfUser(user)),
  settingsOf: (owner) => inTime(`settingsOf ${owner}`, () => ports.settingsOf(owner)),
  triggerOf: (id) => inTime(`triggerOf ${saidName(id)}`, () => ports.triggerOf(id)),
})

const throwing = unlessUnanswered((thrown) => `a port must not throw ${String(thrown)}`)

/** In every registry that knows these accounts and triggers, all these claims are so. */
export const registryLaw = (
  name: string,
  known: ReadonlyArray<WorldAccount> | Pick<World, 'triggers'>,
  claims: ReadonlyArray<RegistryClaim>,
): Law<SeedRegistry> => ({
  name,
  violations: async (seed) => {
    const world = 'triggers' in known ? { accounts: [], ...known } : { accounts: known, triggers: [] }
    const { ports, close } = await seeding(`the law "${name}"`, () => seed(world))
    try {
      return await all(
        claims.map(
          (claim): RegistryClaim =>
            (asked) =>
              claim(asked).catch(throwing),
        ),
      )(inTimeAll(ports))
    } finally {
      await close()
    }
  },
})

/** A different well-formed token for every number. */
export const tokenOf = (n: number): string => `cnp_${String(n).padStart(42, 'A')}A`

export const validToken = (token: string, scope = '/'): WorldToken => ({ token, scope, state: 'valid' })

export const account = (
  id: string,
  { tokens = [], settings = [], verified = true }: Partial<WorldAccount> = {},
): WorldAccount => ({ id, verified, tokens, settings, area: [] })

export const publicAt = (path: string): WorldSetting => ({ path, visibility: 'public' })

export const trigger = (id: string, value = '{"type":"t"}', state: WorldTrigger['state'] = 'valid'): WorldTrigger => ({
  id,
  value,
  state,
})

const edges = [9n, 10n, 100n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n]

/** Where a number held in 32, 53 or 63 bits, or as text without padding, goes wrong. */
export const tellingIds: ReadonlyArray<string> = [0n, 1n, ...edges, 2n ** 64n - 2n, 2n ** 64n - 1n].map(String)
