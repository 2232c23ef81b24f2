import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { type HandedTo, handOver } from '../../src/cluster/handOver.js'
import { enough, ready, taken } from '../../src/cluster/words.js'
import { later } from '../../src/later.js'

/** A connection that knows its number, and whether this process still has it. */
interface Connection {
  readonly number: number
  open: boolean
}

const primaryOf = (cannotOpen?: string) => {
  const workers = new EventEmitter()
  const told: Array<string> = []
  const lost: Array<string> = []
  const closing = later()
  const connections: Array<Connection> = []
  let take: (connection: Socket) => void = () => undefined
  const { opened, end } = handOver(
    workers,
    (taking) => {
      take = taking
      told.push('port opened')
      const port = { url: 'http://127.0.0.1:1', port: 1, close: () => closing.value }
      return cannotOpen === undefined ? TE.right(port) : TE.left(cannotOpen)
    },
    ({ message }) => lost.push(message),
  )
  const come = (): Connection => {
    const connection = {
      number: connections.length + 1,
      open: true,
      destroy: () => {
        connection.open = false
      },
    }
    connections.push(connection)
    take(connection as unknown as Socket)
    return connection
  }
  /** `answers`: what is told to it arrives. */
  const worker = (name: string, answers: () => Error | null = () => null) => {
    let connected = true
    const self: HandedTo = {
      isConnected: () => connected,
      send: (word, handedOver, _, sent) => {
        const number = (handedOver as unknown as Connection | undefined)?.number
        told.push([word, ...(number === undefined ? [] : [number]), 'to', name].join(' '))
        sent(answers())
      },
    }
    const say = (word: string) => workers.emit('message', self, word)
    say(ready)
    return {
      says: say,
      /** All that it said has come when it is disconnected. */
      dies: async (lastWord?: string) => {
        workers.emit('exit', self)
        await turn()
        if (lastWord !== undefined) say(lastWord)
        connected = false
        await sleep(20)
      },
    }
  }
  return { told, lost, opened, end, come, worker, closed: () => closing.give() }
}

/** Longer than it takes to answer who has enough. */
const aWhile = async () => {
  await turn()
  await turn()
}

describe('who hands connections over', () => {
  it('opens the port once, when the first worker is ready', async () => {
    const { told, opened, worker } = primaryOf()
    expect(told).toEqual([])
    worker('a')
    worker('b')
    expect(told).toEqual(['port opened'])
    expect(await opened).toMatchObject({ right: { port: 1 } })
  })

  it('says why the port could not be opened', async () => {
    const { opened, worker } = primaryOf('taken')
    worker('a')
    expect(await opened).toEqual({ _tag: 'Left', left: 'taken' })
  })

  it('gives workers connections in turn', () => {
    const { told, come, worker } = primaryOf()
    const [a, b] = [worker('a'), worker('b')]
    for (const next of [a, b, a]) {
      come()
      next.says(taken)
    }
    expect(told.slice(1)).toEqual(['connection 1 to a', 'connection 2 to b', 'connection 3 to a'])
  })

  it('gives a worker the next one when it has taken the last, and keeps that itself until then', () => {
    const { told, come, worker } = primaryOf()
    const a = worker('a')
    const [first, second] = [come(), come()]
    expect([told.slice(1), first.open]).toEqual([['connection 1 to a'], true])
    a.says(taken)
    expect([told.slice(2), first.open, second.open]).toEqual([['connection 2 to a'], false, true])
  })

  it('gives what waits to the next that is ready, the oldest first', async () => {
    const { told, come, worker } = primaryOf()
    await worker('a').dies()
    come()
    come()
    worker('b').says(taken)
    expect(told.slice(1)).toEqual(['connection 1 to b', 'connection 2 to b'])
  })

  it('gives what a dead worker has not taken to another, and nothing more to the dead', async () => {
    const { told, come, worker } = primaryOf()
    const a = worker('a')
    const first = come()
    const b = worker('b')
    await a.dies()
    expect([told.slice(1), first.open]).toEqual([['connection 1 to a', 'connection 1 to b'], true])
    b.says(taken)
    come()
    expect(told.at(-1)).toBe('connection 2 to b')
  })

  it('gives nobody what a dead worker had taken, also where that is heard after its end', async () => {
    const { told, come, worker } = primaryOf()
    const a = worker('a')
    const first = come()
    worker('b')
    await a.dies(taken)
    expect([told.slice(1), first.open]).toEqual([['connection 1 to a'], false])
  })

  it('lets a connection go that cannot be sent, says why, and goes on', () => {
    const answers: Array<Error> = [new Error('too many')]
    const { lost, told, come, worker } = primaryOf()
    worker('a', () => answers.pop() ?? null)
    const [first] = [come(), come()]
    expect([lost, first?.open, told.at(-1)]).toEqual([['too many'], false, 'connection 2 to a'])
  })

  it('gives one that has enough nothing more, and tells it when all has come', async () => {
    const { told, come, worker } = primaryOf()
    const [a, b] = [worker('a'), worker('b')]
    come()
    a.says(enough)
    await aWhile()
    a.says(taken)
    come()
    b.says(taken)
    come()
    expect(told.slice(1)).toEqual(['connection 1 to a', 'last to a', 'connection 2 to b', 'connection 3 to b'])
  })

  it('keeps the port open for the next worker, as long as the service does not end', async () => {
    const { told, come, worker } = primaryOf()
    worker('a').says(enough)
    await aWhile()
    come()
    worker('b')
    expect(told.slice(1)).toEqual(['last to a', 'connection 1 to b'])
  })

  it('closes the port when the last one has enough and the service ends; all that has come goes to that one', async () => {
    const { told, end, come, worker, closed } = primaryOf()
    const [a, b] = [worker('a'), worker('b')]
    end()
    a.says(enough)
    await aWhile()
    b.says(enough)
    await aWhile()
    come()
    come()
    come()
    expect(told.slice(1)).toEqual(['last to a', 'connection 1 to b'])
    closed()
    await aWhile()
    expect(told.slice(3)).toEqual(['connection 2 to b', 'connection 3 to b', 'last to b'])
  })

  it('hears of the end in time when a signal to all reaches the workers first', async () => {
    const { told, end, worker, closed } = primaryOf()
    worker('a').says(enough)
    end()
    await aWhile()
    expect(told.slice(1)).toEqual([])
    closed()
    await aWhile()
    expect(told.slice(1)).toEqual(['last to a'])
  })
})
