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

const countingLeftOut =
  (list: ListEnv['list'], { sawUnlistable, sawUnknown }: Metrics): ListEnv['list'] =>
  (area, path) =>
  async () => {
    const answer = await list(area, path)()
    if (E.isLeft(answer)) return answer
    const { unlistable, unknown } = answer.right
    if (unlistable > 0) sawUnlistable(unlistable)
    if (unknown !== undefined) sawUnknown(unknown.names.length)
    return answer
  }

/** The same ports, which tell how long they took and how they failed. They must keep their word: never throw, never hang. */
export const measurePorts = (ports: Ports, metrics: Metrics): Ports =>
  aroundPorts({ ...ports, list: countingLeftOut(ports.list, metrics) }, timing(metrics))
