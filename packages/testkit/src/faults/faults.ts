import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type { Ports } from '../laws/Subject.js'

/** Stands in for one call of a port: what it returns should be a `TaskEither`, and need not. */
type Fault = (port: keyof Ports) => unknown

/** In the message of every error that a fault throws, rejects with or gives as its cause. */
export const faultMark = 'the fault that was planted'

const settles =
  (found: unknown): Fault =>
  () =>
  async () =>
    found

const right = (value: unknown): Fault => settles(E.right(value))
const left = (value: unknown): Fault => settles(E.left(value))

const throws = (): never => {
  throw new Error(faultMark)
}

/** An answer of the right kind outside, and of none inside. */
const hollow: { readonly [Port in keyof Ports]: unknown } = {
  areaOfToken: { area: {}, scope: '' },
  areaOfUser: { owner: '1', location: 'a' },
  settingsOf: new Map([['/', 'open to everyone']]),
  nodeAt: { type: 'file', size: 1, last_modified: 1 },
  list: { entries: [{}], unlistable: 0 },
  triggerOf: { type: 'webhook' },
}

const otherPorts = (port: keyof Ports): Failure.Failure =>
  port === 'triggerOf' ? Failure.fileNotFound : Failure.triggerNotFound

/** The ways in which a port may fail, its own `external` first, then every way of breaking its word. */
export const faults = {
  'fails with external': () => async () => E.left(Failure.external(new Error(faultMark))),
  rejects: () => () => Promise.reject(new Error(faultMark)),
  'rejects with nothing': () => () => Promise.reject(),
  throws: throws,
  'returns a task that throws': () => throws,
  'returns no task': () => undefined,
  'never answers': () => () => new Promise(() => undefined),
  'answers undefined': settles(undefined),
  'answers null': settles(null),
  'answers without Either': settles('found'),
  'answers undefined as right': right(undefined),
  'answers {} as right': right({}),
  'answers text as right': right('found'),
  'answers a hollow right': (port) => right(hollow[port])(port),
  'fails with undefined': left(undefined),
  'fails with an Error': left(new Error(faultMark)),
  'fails with an unknown name': left({ error: 'disk full' }),
  'fails with a name of Object': left({ error: 'toString' }),
  'fails with the error of another port': (port) => left(otherPorts(port))(port),
} satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults
