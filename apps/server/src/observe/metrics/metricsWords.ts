/** The metrics of one process, as prom-client gives and adds them. */
export type Numbers = ReadonlyArray<{ readonly type: unknown }>

/** What a primary and its workers say to each other about metrics. Words may be added, none may change its meaning. */
export type Word =
  /** Of a worker: from now on it can be asked. */
  | { readonly metrics: 'able' }
  | { readonly metrics: 'asked'; readonly id: number }
  | { readonly metrics: 'given'; readonly id: number; readonly numbers: Numbers }

export const isWord = (u: unknown): u is Word => typeof u === 'object' && u !== null && 'metrics' in u
