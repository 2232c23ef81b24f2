import type { Ports } from '../laws/Subject.js'
import { failingAt } from './failingAt.js'
import type { FaultName } from './faults.js'

/** What came of a question while each call that it makes failed in turn. */
export interface Outcome<A> {
  /** The answer when the first call failed, when the second did, and so on to the last. */
  readonly failed: ReadonlyArray<A>
  /** The answer when none was left to fail. */
  readonly whole: A
}

/**
 * Asks again and again, over the same ports, of which each time the next call fails in this way: `fails with external`, or
 * a way of breaking a port's word, such as `rejects`. A question that makes three calls is asked four times.
 */
export const failEachCall = async <A>(
  ports: Ports,
  how: FaultName,
  ask: (ports: Ports) => Promise<A>,
): Promise<Outcome<A>> => {
  const failed: Array<A> = []
  for (;;) {
    const failing = failingAt(ports, failed.length + 1, how)
    const answer = await ask(failing.ports)
    if (!failing.happened()) return { failed, whole: answer }
    failed.push(answer)
  }
}
