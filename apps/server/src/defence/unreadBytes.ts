import type { ServerResponse } from 'node:http'
import * as Link from './Link.js'

/**
 * Asks for room for a body, or for what makes one, that goes out to a client and takes so many bytes of memory until it has
 * been read. False when there is none: then it must not be sent.
 */
export type RoomFor = (body: object, bytes: number, response: ServerResponse) => boolean

/** What is smaller takes less than its connection, and is most of what is answered: it is not counted. */
const fewBytes = 64 * 1024

/** One client reads. */
interface Recipient extends Link.Link {
  held: Held | undefined
  response: ServerResponse | undefined
}

/** What some clients read, in the order in which it was asked for last. */
interface Held extends Link.Link {
  readonly bytes: number
  askedAt: number
  /** Where those begin and end who read it. */
  readonly recipients: Link.Link
}

export interface UnreadBounds {
  /** Memory in bytes; 0 for any amount. */
  readonly bytes: number
  /** By then whoever reads has done so, as a rule, in milliseconds. */
  readonly patienceMs: number
}

const waitsForItsClient = (recipient: Link.Link): boolean =>
  ((recipient as Recipient).response?.writableLength ?? 0) > 0

/**
 * Bounds the memory of answers that clients have not read yet. A body counts once, however many read it. Where there is no
 * room, the connections are cut of those who read what was asked for the longest time ago, if that is long enough and it
 * is not this server that is late; else there is none for what is new. `onCut` is called for each answer.
 */
export const unreadBytes = ({ bytes: most, patienceMs }: UnreadBounds, onCut: () => void): RoomFor => {
  if (most === 0) return () => true
  const own = Symbol('held')
  const ends = Link.alone({})
  let bytesHeld = 0

  const heldOf = (body: { [own]?: Held }, bytes: number): Held => {
    // One that is larger than all memory for it has that for itself.
    body[own] ??= Link.alone({ bytes: Math.min(bytes, most), askedAt: 0, recipients: Link.alone({}) })
    return body[own]
  }

  const begin = (held: Held, response: ServerResponse): Recipient => {
    if (Link.isEmpty(held.recipients)) bytesHeld += held.bytes
    Link.unlink(held)
    Link.append(ends, held)
    held.askedAt = performance.now()
    const recipient: Recipient = Link.alone({ held, response })
    Link.append(held.recipients, recipient)
    return recipient
  }

  const end = (recipient: Recipient): void => {
    const { held } = recipient
    if (held === undefined) return
    Link.unlink(recipient)
    recipient.held = undefined
    recipient.response = undefined
    if (!Link.isEmpty(held.recipients)) return
    Link.unlink(held)
    bytesHeld -= held.bytes
  }

  const cut = ({ recipients }: Held): void => {
    while (!Link.isEmpty(recipients)) {
      const recipient = recipients.after as Recipient
      const { response } = recipient
      end(recipient)
      onCut()
      // Reset, or a body of HTTP/1.0 would look whole.
      response?.socket?.resetAndDestroy()
    }
  }

  /** The first of those that have been asked for long enough ago and wait for their clients. */
  const slowest = (): Held | undefined => {
    const since = performance.now() - patienceMs
    for (let link = ends.after; link !== ends; link = link.after) {
      const held = link as Held
      if (held.askedAt > since) return undefined
      if (waitsForItsClient(held.recipients.after)) return held
    }
    return undefined
  }

  const hasRoom = (held: Held): boolean => !Link.isEmpty(held.recipients) || bytesHeld + held.bytes <= most

  const makeRoom = (held: Held): boolean => {
    for (let slow = slowest(); slow !== undefined && !hasRoom(held); slow = slowest()) cut(slow)
    return hasRoom(held)
  }

  return (body, bytes, response) => {
    if (bytes < fewBytes || response.destroyed) return true
    const held = heldOf(body, bytes)
    if (!hasRoom(held) && !makeRoom(held)) return false
    const recipient = begin(held, response)
    response.once('close', () => end(recipient))
    return true
  }
}
