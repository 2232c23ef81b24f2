import type { ListEnv } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { type Around, aroundPorts } from '../../ports/aroundPorts.js'
import type { Ports } from '../../ports/Ports.js'
import type { Metrics } from './Metrics.js'

// Plain promises: a tree calls a port for each of its directories.

const timing =
  ({ portAnswered }: Metrics): Around =>
  (port, call) =>
  async () => {
    const started = performance.now()
    const answer = await call()
    portAnswered(port, (performance.now() - started) / 1000, E.isLeft(answer) ? answer.left.error : 'none')
    return answer
  }

const countingUnlistable =
  (list: ListEnv['list'], { sawUnlistable }: Metrics): ListEnv['list'] =>
  (area, path) =>
  async () => {
    const answer = await list(area, path)()
    if (E.isRight(answer) && answer.right.unlistable > 0) sawUnlistable(answer.right.unlistable)
    return answer
  }

/** The same ports, which tell how long they took and how they failed. They must keep their word: never throw, never hang. */
export const measurePorts = (ports: Ports, metrics: Metrics): Ports =>
  aroundPorts({ ...ports, list: countingUnlistable(ports.list, metrics) }, timing(metrics))
