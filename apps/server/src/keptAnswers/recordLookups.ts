import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Around, aroundPorts } from '../ports/aroundPorts.js'
import type { Ports } from '../ports/Ports.js'
import { type Lookup, lookup } from './Lookup.js'

export interface Recorded {
  readonly ports: Ports
  /** All that was asked so far; `none` when something failed, or when it is too much to ask again. */
  readonly lookups: () => O.Option<ReadonlyArray<Lookup>>
}

/** Beyond that an answer is cheaper to make than to verify. */
const mostLookups = 256

/** The same ports, which remember what they are asked. What succeeds and what fails costs the same here. */
export const recordLookups = (ports: Ports): Recorded => {
  const asked: Array<() => O.Option<Lookup>> = []
  const around: Around = (port, call) => async () => {
    const answer = await call()
    if (asked.length <= mostLookups)
      asked.push(() => (E.isRight(answer) ? O.some(lookup(port, call, answer.right)) : O.none))
    return answer
  }
  return {
    ports: aroundPorts(ports, around),
    lookups: () =>
      asked.length > mostLookups ? O.none : O.traverseArray((each: () => O.Option<Lookup>) => each())(asked),
  }
}
