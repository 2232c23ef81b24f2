import type { MessageOptions } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Port } from '../connection/listenAt.js'
import { later } from '../later.js'
import { connection, enough, last, ready, taken } from './words.js'

/** A worker as who hands over knows it. */
export interface HandedTo {
  isConnected(): boolean
  send(
    word: typeof connection | typeof last,
    handedOver: Socket | undefined,
    options: MessageOptions,
    sent: (error: Error | null) => void,
  ): unknown
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
  /** From now on the port is closed when no worker wants connections any more, and what has come goes to the last one. */
  readonly end: () => void
}

/**
 * Takes connections and hands each to the worker that has waited for one longest. A worker has one on its way at a time:
 * one that is busy gets fewer, and what a dead one has not taken goes to another. node:cluster does it so too, but closes
 * what it holds when the last worker leaves, with requests in it.
 */
export const handOver = (workers: ToldOfWorkers, openPort: OpenPort, onLost: (cause: Error) => void): Handover => {
  const wanting = new Set<HandedTo>()
  const free = new Set<HandedTo>()
  const onTheWay = new Map<HandedTo, Socket>()
  const waiting = new Set<Socket>()
  const opened = later<E.Either<string, Port>>()
  let opening = false
  let ending = false

  const send = (worker: HandedTo, handedOver: Socket): void => {
    waiting.delete(handedOver)
    free.delete(worker)
    onTheWay.set(worker, handedOver)
    // Kept open here until it is taken there.
    worker.send(connection, handedOver, { keepOpen: true }, (error) => {
      // Of a worker that is gone we are told, and give it to another.
      if (error === null || !worker.isConnected()) return
      onLost(error)
      hasTaken(worker)
    })
  }

  const hand = (): void => {
    for (const worker of free) {
      const [next] = waiting
      if (next === undefined) return
      send(worker, next)
    }
  }

  const take = (handedOver: Socket): void => {
    waiting.add(handedOver)
    hand()
  }

  const hasTaken = (worker: HandedTo): void => {
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

  const hasEnough = async (worker: HandedTo): Promise<void> => {
    // A signal to all processes at once may be heard here after the word of who heard it too.
    await turn()
    if (ending && wanting.size === 1) {
      await closePort()
      for (const handedOver of waiting) worker.send(connection, handedOver, {}, () => undefined)
      waiting.clear()
    }
    forget(worker)
    // It comes after the connections: all words come in the order in which they are sent.
    worker.send(last, undefined, {}, () => undefined)
  }

  const isGone = async (worker: HandedTo): Promise<void> => {
    forget(worker)
    // Its last words may come after its end. That it is disconnected is not told while a connection is on its way.
    while (worker.isConnected()) await sleep(1)
    const left = onTheWay.get(worker)
    onTheWay.delete(worker)
    if (left !== undefined) take(left)
  }

  workers.on('message', (worker, word) => {
    if (word === ready) void isReady(worker)
    if (word === taken) hasTaken(worker)
    if (word === enough) void hasEnough(worker)
  })
  workers.on('exit', (worker) => void isGone(worker))

  return {
    opened: opened.value,
    end: () => {
      ending = true
    },
  }
}
