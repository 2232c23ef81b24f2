import type { MessageOptions } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Port } from '../connection/listenAt.js'
import { later } from '../later.js'
import { connection, enough, type Given, last, missed, ready, taken } from './words.js'

type WordToWorker = typeof connection | typeof last | Given

/** A worker as who hands over knows it. */
export interface HandedTo {
  isConnected(): boolean
  send(word: WordToWorker, handedOver: Socket | undefined, options: MessageOptions, sent: () => void): unknown
}

/** The workers of a primary, as node:cluster tells of them. */
export interface ToldOfWorkers {
  on(event: 'message', listener: (worker: HandedTo, word: unknown) => void): unknown
  on(event: 'exit', listener: (worker: HandedTo) => void): unknown
}

export type OpenPort = (take: (connection: Socket) => void) => TE.TaskEither<string, Port>

export interface Handover {
  /** The port, which is opened as soon as a worker is ready. `left` says why it could not be. */
  readonly opened: Promise<E.Either<string, Port>>
  /** From now on the port is closed as soon as a worker wants no more connections. */
  readonly end: () => void
}

/** A connection that no worker has taken by then is cut: its client may do better elsewhere. In milliseconds. */
const longestWaitMs = 10_000

/** How often it is looked for workers that have not taken their own, in milliseconds. */
const askMs = 250

/** A signal to all processes at once may be heard by a worker first, and its word before the signal here. In milliseconds. */
const signalsMs = 50

/** What cannot be sent any more goes to a worker that is gone. What is handed over stays open here until it is taken there. */
const tell = (worker: HandedTo, word: WordToWorker, handedOver?: Socket): void =>
  void worker.send(word, handedOver, { keepOpen: true }, () => undefined)

/**
 * Takes connections and hands each to the worker that has waited for one longest. A worker has one on its way at a time:
 * one that is busy gets fewer, and what a dead one has not taken goes to another. node:cluster does it so too, but closes
 * what it holds when the last worker leaves, with requests in it. `onLost` is told of each that could not be handed over.
 */
export const handOver = (workers: ToldOfWorkers, openPort: OpenPort, onLost: () => void): Handover => {
  const wanting = new Set<HandedTo>()
  const free = new Set<HandedTo>()
  const onTheWay = new Map<HandedTo, Socket>()
  const count = new WeakMap<HandedTo, number>()
  const asked = new WeakSet<Socket>()
  const waiting = new Set<Socket>()
  const opened = later<E.Either<string, Port>>()
  const ended = later()
  let opening = false
  let ending = false
  let closing: Promise<void> | undefined

  const givenTo = (worker: HandedTo): Given => ({ given: count.get(worker) ?? 0 })

  const send = (worker: HandedTo, handedOver: Socket): void => {
    waiting.delete(handedOver)
    free.delete(worker)
    onTheWay.set(worker, handedOver)
    tell(worker, connection, handedOver)
    count.set(worker, givenTo(worker).given + 1)
  }

  /** Once for each: the answer comes when the worker has read all that was sent before, however long that takes. */
  const askForMissed = (): void => {
    for (const [worker, handedOver] of onTheWay) {
      if (asked.has(handedOver)) continue
      asked.add(handedOver)
      tell(worker, givenTo(worker))
    }
  }

  const hand = (): void => {
    for (const worker of free) {
      const [next] = waiting
      if (next === undefined) return
      send(worker, next)
    }
  }

  const wait = (handedOver: Socket): void => {
    if (handedOver.destroyed) return
    waiting.add(handedOver)
    hand()
  }

  const take = (handedOver: Socket): void => {
    handedOver.setTimeout(longestWaitMs, () => {
      waiting.delete(handedOver)
      handedOver.destroy()
    })
    wait(handedOver)
  }

  const letGo = (worker: HandedTo): void => {
    onTheWay.get(worker)?.destroy()
    onTheWay.delete(worker)
    if (wanting.has(worker)) free.add(worker)
    hand()
  }

  const forget = (worker: HandedTo): void => {
    wanting.delete(worker)
    free.delete(worker)
  }

  const isReady = async (worker: HandedTo): Promise<void> => {
    wanting.add(worker)
    free.add(worker)
    hand()
    if (opening) return
    opening = true
    opened.give(await openPort(take)())
  }

  const closePort = async (): Promise<void> => {
    const port = await opened.value
    if (E.isRight(port)) await port.right.close()
  }

  /** Everything that came goes to those who are still there. */
  const takeLeave = async (worker: HandedTo): Promise<void> => {
    closing ??= closePort()
    await closing
    while (waiting.size > 0 && wanting.has(worker)) await sleep(1)
  }

  const hasEnough = async (worker: HandedTo): Promise<void> => {
    if (wanting.size === 1) await Promise.race([ended.value, sleep(signalsMs)])
    if (ending) await takeLeave(worker)
    forget(worker)
    // It comes after the connections: all words come in the order in which they are sent.
    tell(worker, last)
  }

  const isGone = async (worker: HandedTo): Promise<void> => {
    forget(worker)
    // Its last words may come after its end. That it is disconnected is not told while a connection is on its way.
    while (worker.isConnected()) await sleep(1)
    forget(worker)
    const left = onTheWay.get(worker)
    onTheWay.delete(worker)
    if (left === undefined) return
    asked.delete(left)
    wait(left)
  }

  workers.on('message', (worker, word) => {
    if (word === ready) void isReady(worker)
    if (word === missed) onLost()
    if (word === taken || word === missed) letGo(worker)
    if (word === enough) void hasEnough(worker)
  })
  workers.on('exit', (worker) => void isGone(worker))
  setInterval(askForMissed, askMs).unref()

  return {
    opened: opened.value,
    end: () => {
      ending = true
      ended.give()
    },
  }
}
