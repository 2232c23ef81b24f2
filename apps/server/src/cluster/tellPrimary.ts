import type { WordOfWorker } from './words.js'

/** What cannot be sent any more goes to a primary that is gone. */
export const tellPrimary = (word: WordOfWorker): void =>
  void process.send?.(word, undefined, undefined, () => undefined)
