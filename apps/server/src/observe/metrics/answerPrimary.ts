import type { Registry } from 'prom-client'
import { isWord, type Word } from './metricsWords.js'

/** A worker's end of its connection with the primary. */
interface Channel {
  readonly on: (event: 'message', listener: (word: unknown) => void) => unknown
  readonly send?: ((word: Word, handle: undefined, options: undefined, sent: () => void) => unknown) | undefined
}

/** Gives the metrics of this worker to the primary, whenever that asks. */
export const answerPrimary = (registry: Registry, channel: Channel): void => {
  // To a primary that is gone nothing needs to be said.
  const say = (word: Word): unknown => channel.send?.(word, undefined, undefined, () => undefined)
  channel.on('message', (word) => {
    if (!isWord(word) || word.metrics !== 'asked') return
    void registry.getMetricsAsJSON().then((numbers) => say({ metrics: 'given', id: word.id, numbers }))
  })
  say({ metrics: 'able' })
}
