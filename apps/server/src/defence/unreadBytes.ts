import type { ServerResponse } from 'node:http'

/** A body, or what makes one, goes out to a client and takes so many bytes of memory until it has read it. */
export type GoesOut = (body: object, bytes: number, response: ServerResponse) => void

/** What is smaller takes less than its connection, and is most of what is answered: it is not counted. */
const fewBytes = 64 * 1024

/** What some clients are reading. */
interface Held {
  readonly bytes: number
  readers: number
  /** When it was asked for last: how many had been asked for by then. */
  asked: number
}

/** One client reads, between two others. */
interface Reading {
  before: Reading
  after: Reading
  held: Held | undefined
  response: ServerResponse | undefined
}

const inNoList = (): Reading => {
  const reading: Partial<Reading> = { held: undefined, response: undefined }
  reading.before = reading as Reading
  reading.after = reading as Reading
  return reading as Reading
}

/** What has lived long holds nothing new then: the quick rounds of the collector would take that for used. */
const unlink = (reading: Reading): void => {
  reading.before.after = reading.after
  reading.after.before = reading.before
  Object.assign(reading, inNoList())
}

/**
 * Bounds the memory of answers that clients have not read yet. A body counts once, however many read it. Beyond the most,
 * the connections are cut of those who read what was asked for the longest time ago: whoever reads has done so by then.
 * 0 bounds nothing. `onCut` is called for each answer.
 */
export const unreadBytes = (most: number, onCut: () => void): GoesOut => {
  if (most === 0) return () => undefined
  const own = Symbol('held')
  const ends = inNoList()
  let bytesHeld = 0
  let asked = 0

  const heldOf = (body: { [own]?: Held }, bytes: number): Held => {
    body[own] ??= { bytes: Math.min(bytes, most), readers: 0, asked: 0 }
    return body[own]
  }

  const begin = (held: Held, response: ServerResponse): Reading => {
    const reading = Object.assign(inNoList(), { held, response, before: ends.before, after: ends })
    reading.before.after = reading
    ends.before = reading
    if (held.readers === 0) bytesHeld += held.bytes
    held.readers += 1
    held.asked = asked
    asked += 1
    return reading
  }

  const end = (reading: Reading): void => {
    const { held } = reading
    if (held === undefined) return
    unlink(reading)
    held.readers -= 1
    if (held.readers === 0) bytesHeld -= held.bytes
  }

  function* readings(): Generator<Reading, void> {
    for (let reading = ends.after, next = reading.after; reading !== ends; reading = next, next = reading.after)
      yield reading
  }

  const cut = (held: Held): void => {
    for (const reading of readings()) {
      if (reading.held !== held) continue
      const { response } = reading
      end(reading)
      onCut()
      response?.destroy()
    }
  }

  const oldest = (newest: Held): Held =>
    [...readings()].reduce((old, { held = old }) => (held.asked < old.asked ? held : old), newest)

  const makeRoom = (newest: Held): void => {
    if (bytesHeld <= most) return
    cut(oldest(newest))
    makeRoom(newest)
  }

  return (body, bytes, response) => {
    if (bytes < fewBytes || response.destroyed) return
    const held = heldOf(body, bytes)
    const reading = begin(held, response)
    response.once('close', () => end(reading))
    makeRoom(held)
  }
}
