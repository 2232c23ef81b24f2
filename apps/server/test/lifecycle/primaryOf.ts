import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type HandedTo, handOver } from '../../src/cluster/handOver.js'
import { ready } from '../../src/cluster/words.js'
import { later } from '../../src/later.js'

/** A connection that knows its number, and whether this process still has it. */
const connectionOf = (number: number) => {
  const self = {
    number,
    destroyed: false,
    destroy: () => {
      self.destroyed = true
    },
    setTimeout: (ms: number, late: () => void) => void setTimeout(late, ms).unref(),
  }
  return self
}

const textOf = (word: unknown): string => (typeof word === 'string' ? word : JSON.stringify(word))

/** Who hands over, with workers and a port that do what a test says. */
export const primaryOf = (cannotOpen?: string) => {
  const workers = new EventEmitter()
  const told: Array<string> = []
  const lost: Array<string> = []
  const closing = later()
  let come = 0
  let take: (connection: Socket) => void = () => undefined
  const { opened, end } = handOver(
    workers,
    (taking) => {
      take = taking
      told.push('port opened')
      const port = { url: 'http://127.0.0.1:1', port: 1, close: () => closing.value }
      return cannotOpen === undefined ? TE.right(port) : TE.left(cannotOpen)
    },
    () => lost.push('lost'),
  )
  const worker = (name: string) => {
    let connected = true
    const self: HandedTo = {
      isConnected: () => connected,
      send: (word, handedOver) => {
        const { number } = (handedOver ?? {}) as { readonly number?: number }
        told.push([textOf(word), ...(number === undefined ? [] : [number]), 'to', name].join(' '))
      },
    }
    const say = (word: string) => workers.emit('message', self, word)
    say(ready)
    return {
      says: say,
      /** All that it said has come when it is disconnected. */
      dies: async (lastWord?: string) => {
        workers.emit('exit', self)
        if (lastWord !== undefined) say(lastWord)
        connected = false
        await sleep(10)
      },
    }
  }
  return {
    told,
    lost,
    opened,
    end,
    worker,
    come: () => {
      come += 1
      const connection = connectionOf(come)
      // Nothing else of a socket is asked.
      take(connection as unknown as Socket)
      return connection
    },
    closed: () => closing.give(),
  }
}
