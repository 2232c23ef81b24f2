import type { ListEnv } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Ports } from '../../Ports.js'
import { type Around, aroundPorts } from '../aroundPorts.js'
import type { Metrics } from './Metrics.js'

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
    pipe(
      list(area, path),
      TE.tapIO(
        ({ unlistable }) =>
          () =>
            unlistable === 0 ? undefined : sawUnlistable(unlistable),
      ),
    )

/** The same ports, which tell how long they took and how they failed. They must keep their word: never throw, never hang. */
export const measurePorts = (ports: Ports, metrics: Metrics): Ports => {
  const timed = aroundPorts(ports, timing(metrics))
  return { ...timed, list: countingUnlistable(timed.list, metrics) }
}
