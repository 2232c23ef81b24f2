import type { Ports } from '../laws/Subject.js'
import { type FaultName, faults } from './faults.js'

export interface Failing {
  readonly ports: Ports
  /** Whether there was an nth call. */
  readonly happened: () => boolean
}

/** The same ports, but the `n`th call, counted from 1 over all ports together, fails in this way. */
export const failingAt = (ports: Ports, n: number, how: FaultName): Failing => {
  let calls = 0
  const orFail =
    <A extends ReadonlyArray<unknown>, B>(port: keyof Ports, call: (...asked: A) => B) =>
    (...asked: A): B => {
      calls += 1
      return calls === n ? (faults[how](port) as B) : call(...asked)
    }
  return {
    ports: {
      areaOfToken: orFail('areaOfToken', ports.areaOfToken),
      areaOfUser: orFail('areaOfUser', ports.areaOfUser),
      settingsOf: orFail('settingsOf', ports.settingsOf),
      nodeAt: orFail('nodeAt', ports.nodeAt),
      list: orFail('list', ports.list),
      triggerOf: orFail('triggerOf', ports.triggerOf),
    },
    happened: () => calls >= n,
  }
}
