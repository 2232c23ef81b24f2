import * as E from 'fp-ts/lib/Either.js'
import { type Around, aroundPorts } from '../observe/aroundPorts.js'
import type { Ports } from '../Ports.js'
import { type Lookup, lookup } from './Lookup.js'

export interface Recorded {
  readonly ports: Ports
  /** All that was asked so far; `undefined` when something failed, or when it is too much to ask again. */
  readonly lookups: () => ReadonlyArray<Lookup> | undefined
}

/** Beyond that an answer is cheaper to make than to verify. */
const mostLookups = 256

/** The same ports, which remember what they are asked. */
export const recordLookups = (ports: Ports): Recorded => {
  let lookups: Array<Lookup> | undefined = []
  const around: Around = (port, call) => async () => {
    const answer = await call()
    if (E.isLeft(answer) || lookups === undefined || lookups.length === mostLookups) lookups = undefined
    else lookups.push(lookup(port, call, answer.right))
    return answer
  }
  return { ports: aroundPorts(ports, around), lookups: () => lookups }
}
