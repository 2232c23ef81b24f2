import type { ServerResponse } from 'node:http'

/** A body, or what makes one, goes out to a client and takes so many bytes of memory until it has read it. */
export type GoesOut = (body: object, bytes: number, response: ServerResponse) => void

/** What is smaller takes less than its connection, and is most of what is answered: it is not counted. */
const fewBytes = 64 * 1024

/** What some clients read. */
interface Held {
  readonly bytes: number
  readers: number
  /** When it was asked for last: how many had been asked for by then. */
  asked: number
}

/** One client reads, between two others. */
interface Recipient {
  before: Recipient
  after: Recipient
  held: Held | undefined
  response: ServerResponse | undefined
}

const inNoList = (): Recipient => {
  const recipient: Partial<Recipient> = { held: undefined, response: undefined }
  recipient.before = recipient as Recipient
  recipient.after = recipient as Recipient
  return recipient as Recipient
}

/** What has lived long holds nothing new then: the quick rounds of the collector would take that for used. */
const unlink = (recipient: Recipient): void => {
  recipient.before.after = recipient.after
  recipient.after.before = recipient.before
  Object.assign(recipient, inNoList())
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

  const begin = (held: Held, response: ServerResponse): Recipient => {
    const recipient = Object.assign(inNoList(), { held, response, before: ends.before, after: ends })
    recipient.before.after = recipient
    ends.before = recipient
    if (held.readers === 0) bytesHeld += held.bytes
    held.readers += 1
    held.asked = asked
    asked += 1
    return recipient
  }

  const end = (recipient: Recipient): void => {
    const { held } = recipient
    if (held === undefined) return
    unlink(recipient)
    held.readers -= 1
    if (held.readers === 0) bytesHeld -= held.bytes
  }

  function* recipients(): Generator<Recipient, void> {
    let recipient = ends.after
    while (recipient !== ends) {
      const { after } = recipient
      yield recipient
      recipient = after
    }
  }

  const cut = (held: Held): void => {
    for (const recipient of recipients()) {
      if (recipient.held !== held) continue
      const { response } = recipient
      end(recipient)
      onCut()
      // Reset, or a body of HTTP/1.0 would look whole.
      response?.socket?.resetAndDestroy()
    }
  }

  const oldest = (newest: Held): Held =>
    [...recipients()].reduce((old, { held = old }) => (held.asked < old.asked ? held : old), newest)

  const makeRoom = (newest: Held): void => {
    if (bytesHeld <= most) return
    cut(oldest(newest))
    makeRoom(newest)
  }

  return (body, bytes, response) => {
    if (bytes < fewBytes || response.destroyed) return
    const held = heldOf(body, bytes)
    const recipient = begin(held, response)
    response.once('close', () => end(recipient))
    makeRoom(held)
  }
}
