import type { Metrics } from '../observe/prometheus.js'

/** Limits the downloads in progress, apart from all other requests: slow ones never make listings `overloaded`. */
export class Downloads {
  readonly #max: number
  readonly #metrics: Metrics | undefined
  #count = 0

  constructor(max: number, metrics: Metrics | undefined) {
    this.#max = max
    this.#metrics = metrics
  }

  /** Returns false if the limit is reached: refuse the request. The signal ends the download. */
  begin(signal: AbortSignal): boolean {
    if (this.#count >= this.#max || signal.aborted) return false
    this.#add(1)
    signal.addEventListener('abort', () => this.#add(-1))
    return true
  }

  #add(change: 1 | -1): void {
    this.#count += change
    this.#metrics?.setDownloads(this.#count)
  }
}
