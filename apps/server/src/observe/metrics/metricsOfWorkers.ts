import { AggregatorRegistry } from 'prom-client'
import { isWord, type Numbers, type Word } from './metricsWords.js'

/** A worker as its primary sees it. */
export interface AskedWorker {
  readonly send: (word: Word, sent: () => void) => unknown
}

export interface Workers {
  on(event: 'message', listener: (worker: AskedWorker, word: unknown) => void): unknown
  on(event: 'exit', listener: (worker: AskedWorker) => void): unknown
}

interface Known {
  /** What it gave when it was last asked. */
  last: Numbers
  /** Who waits for what it gives. */
  readonly waiting: Map<number, (numbers: Numbers) => void>
}

const timeoutMs = 2_000

const sumOf = (parts: ReadonlyArray<Numbers>) => AggregatorRegistry.aggregate([...parts])

/** What only ever grows. */
const totalsOf = (numbers: Numbers): Numbers => numbers.filter(({ type }) => type === 'counter' || type === 'histogram')

/**
 * The metrics of all workers that can be asked, added up. Rejects when one of them does not answer: a sum that lacks a
 * worker would look as if all had begun anew. For the same reason the totals of a worker that is gone stay in it, as they
 * were when it was last asked.
 */
export const metricsOfWorkers = (workers: Workers): (() => Promise<string>) => {
  const known = new Map<AskedWorker, Known>()
  let departed: Promise<Numbers> = Promise.resolve([])
  let asked = 0

  workers.on('message', (worker, word) => {
    if (!isWord(word)) return
    if (word.metrics === 'able') known.set(worker, { last: [], waiting: new Map() })
    if (word.metrics === 'given') known.get(worker)?.waiting.get(word.id)?.(word.numbers)
  })
  workers.on('exit', (worker) => {
    const { last = [], waiting = new Map() } = known.get(worker) ?? {}
    known.delete(worker)
    departed = departed.then((sofar) => sumOf([sofar, totalsOf(last)]).getMetricsAsJSON())
    for (const give of waiting.values()) give(last)
  })

  const ask = ([worker, memory]: readonly [AskedWorker, Known]): Promise<Numbers> =>
    new Promise((resolve, reject) => {
      asked += 1
      const id = asked
      const timer = setTimeout(() => {
        memory.waiting.delete(id)
        reject(new Error(`a worker gave no metrics within ${timeoutMs} ms`))
      }, timeoutMs)
      memory.waiting.set(id, (numbers) => {
        clearTimeout(timer)
        memory.waiting.delete(id)
        memory.last = numbers
        resolve(numbers)
      })
      worker.send({ metrics: 'asked', id }, () => undefined)
    })

  return async () => {
    // Taken before the workers are asked: one that goes away meanwhile still counts with what it gave last.
    const before = departed
    const given = await Promise.all([...known].map(ask))
    return sumOf([await before, ...given]).metrics()
  }
}
