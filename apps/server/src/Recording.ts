import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { type PortCall, type PortResult, type Ports, runCall } from './ports.js'

/** Above this number, building the response again is cheaper. */
const maxCalls = 256

interface RecordedCall {
  readonly call: PortCall
  readonly value: object
}

/**
 * The port calls of one request, each with its value, from which the response cache gets its checks. Repeated calls to the registry
 * are recorded once.
 */
export class Recording {
  readonly #registryCalls: Array<RecordedCall> = []
  readonly #storageCalls: Array<RecordedCall> = []
  #canBeChecked = true

  add(call: PortCall, result: E.Either<unknown, object>): void {
    if (E.isLeft(result)) {
      this.#canBeChecked = false
      return
    }
    if (!this.#canBeChecked) return
    const value = result.right
    if (call.port === 'nodeAt' || call.port === 'list') {
      this.#storageCalls.push({ call, value })
      if (call.port === 'list' && 'next' in value && value.next !== undefined) this.#canBeChecked = false
    } else {
      const before = this.#registryCalls.find(
        (each) => each.call.port === call.port && each.call.args[0] === call.args[0],
      )
      if (before === undefined) this.#registryCalls.push({ call, value })
      else if (before.value !== value) this.#canBeChecked = false
    }
    if (this.#registryCalls.length + this.#storageCalls.length > maxCalls) this.#canBeChecked = false
  }

  /**
   * Returns checks that call these ports; `undefined` if a call failed, a value changed, a listing has more pages, or there are too
   * many calls to repeat.
   */
  checks(ports: Ports): ReadonlyArray<Check> | undefined {
    return this.#canBeChecked
      ? [...this.#registryCalls, ...this.#storageCalls].map(({ call, value }) =>
          checkOf(ports, withoutOptions(call), value),
        )
      : undefined
  }
}

/** Repeats a port call. Resolves to whether it returns the same as before. */
export type Check = () => Promise<boolean>

/** Compares by value, because a node is small and rebuilt on every call. */
const checkByValue =
  (run: PortResult, before: object): Check =>
  async () =>
    E.exists((now) => isDeepStrictEqual(now, before))(await run())

/** Compares by identity: a port that builds a new object for each call only loses the cached response. */
const checkByIdentity =
  (run: PortResult, before: WeakRef<object>): Check =>
  async () => {
    const now = await run()
    return E.isRight(now) && now.right === before.deref()
  }

/**
 * Keeps area and path, and drops the options, so that the cache does not retain them. Only local directories have a response cache,
 * and their listings do not depend on options.
 */
const withoutOptions = ({ port, args }: PortCall): PortCall => ({ port, args: args.slice(0, 2) }) as PortCall

// At the top level, because a closure inside `Recording` would keep the recording alive.
const checkOf = (ports: Ports, call: PortCall, value: object): Check =>
  call.port === 'nodeAt'
    ? checkByValue(runCall(ports, call), value)
    : checkByIdentity(runCall(ports, call), new WeakRef(value))
