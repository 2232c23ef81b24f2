import { inspect } from 'node:util'
import {
  type AreaOfTokenEnv,
  type AreaOfUserEnv,
  Failure,
  type ListEnv,
  type NodeAtEnv,
  type OpenFileEnv,
  type SettingsOfEnv,
  type TriggerOfEnv,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** All ports of the five operations. */
export type Ports = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & NodeAtEnv & ListEnv & TriggerOfEnv

/** The ports of operations and files. */
export type AllPorts = Ports & OpenFileEnv

/** A storage may lack the port of files. */
export type ServicePorts = Ports & Partial<OpenFileEnv>

type FailureOf<Port extends keyof AllPorts> =
  ReturnType<AllPorts[Port]> extends TE.TaskEither<infer F extends Failure.Failure, unknown> ? F['error'] : never

/** The failures of each port. */
export const portFailures: { readonly [Port in keyof AllPorts]: { readonly [Name in FailureOf<Port>]: null } } = {
  areaOfToken: { 'invalid token': null, 'not verified': null, external: null },
  areaOfUser: { 'permission denied': null, external: null },
  settingsOf: { external: null },
  nodeAt: { 'file not found': null, 'type mismatch': null, external: null },
  list: { 'file not found': null, 'type mismatch': null, external: null },
  openFile: { 'file not found': null, 'type mismatch': null, external: null },
  triggerOf: { 'trigger not found': null, external: null },
}

/** A call of a port as a value. */
export type PortCall = {
  readonly [Port in keyof AllPorts]: { readonly port: Port; readonly args: Parameters<AllPorts[Port]> }
}[keyof AllPorts]

/** The result of any port. */
export type PortResult = TE.TaskEither<Failure.Failure, object>

/** Returns a task that calls the port each time it runs. */
export const runCall =
  (ports: ServicePorts, { port, args }: PortCall): PortResult =>
  () =>
    (ports[port] as (...args: PortCall['args']) => PortResult)(...args)()

/** A timeout that progress restarts. */
export interface Deadline {
  /** Less than the timeout if part of it has passed. */
  readonly remainingMs?: number
  /** Restarts the timeout in full. Set while the task runs. */
  restart?: (() => void) | undefined
}

/**
 * Forwards the result of a task, or fails with `external` if the task throws, rejects, or takes longer than `timeoutMs`. A
 * later result is dropped; the task itself cannot be cancelled.
 */
export const withTimeout =
  <F, A>(
    name: string,
    timeoutMs: number,
    task: TE.TaskEither<F, A>,
    deadline: Deadline = {},
  ): TE.TaskEither<F | Failure.External, A> =>
  () =>
    new Promise((resolve) => {
      const settle = (result: E.Either<F | Failure.External, A>): void => {
        clearTimeout(timer)
        deadline.restart = undefined
        resolve(result)
      }
      const fail = (cause: Error): void => settle(E.left(Failure.external(cause)))
      const failLate = (): void => fail(new Error(`${name} gave no answer within ${timeoutMs} ms`))
      const startTimer = (ms: number): NodeJS.Timeout => setTimeout(failLate, ms).unref()
      let timer = startTimer(deadline.remainingMs ?? timeoutMs)
      deadline.restart = () => {
        clearTimeout(timer)
        timer = startTimer(timeoutMs)
      }
      const failWith = (thrown: unknown): void =>
        fail(thrown instanceof Error ? thrown : new Error(`${name} threw ${inspect(thrown, { depth: 0 })}`))
      try {
        task().then(settle, failWith)
      } catch (thrown) {
        failWith(thrown)
      }
    })
