import type { ServerResponse } from 'node:http'

/** A body, or what makes one, goes out to a client and takes so many bytes of memory until it has read it. */
export type GoesOut = (body: object, bytes: number, response: ServerResponse) => void

/** What is smaller takes less than its connection, and is most of what is answered: it is not counted. */
const fewBytes = 64 * 1024

/** Stands between two others. */
interface Link {
  before: Link
  after: Link
}

/** One client reads. */
interface Recipient extends Link {
  held: Held | undefined
  response: ServerResponse | undefined
}

/** What some clients read, in the order of what was asked for last. */
interface Held extends Link {
  readonly bytes: number
  /** Where those begin and end who read it. */
  readonly recipients: Link
}

/** In no list: between itself and itself. */
const alone = <A extends object>(of: A): A & Link => {
  const link = of as A & Link
  link.before = link
  link.after = link
  return link
}

/** What has lived long holds nothing new then: the quick rounds of the collector would take that for used. */
const unlink = (link: Link): void => {
  link.before.after = link.after
  link.after.before = link.before
  alone(link)
}

const append = (ends: Link, link: Link): void => {
  link.before = ends.before
  link.after = ends
  ends.before.after = link
  ends.before = link
}

const isEmpty = (ends: Link): boolean => ends.after === ends

/**
 * Bounds the memory of answers that clients have not read yet. A body counts once, however many read it. Beyond the most,
 * the connections are cut of those who read what was asked for the longest time ago: whoever reads has done so by then.
 * 0 bounds nothing. `onCut` is called for each answer.
 */
export const unreadBytes = (most: number, onCut: () => void): GoesOut => {
  if (most === 0) return () => undefined
  const own = Symbol('held')
  const ends = alone({})
  let bytesHeld = 0

  const heldOf = (body: { [own]?: Held }, bytes: number): Held => {
    body[own] ??= alone({ bytes: Math.min(bytes, most), recipients: alone({}) })
    return body[own]
  }

  const begin = (held: Held, response: ServerResponse): Recipient => {
    if (isEmpty(held.recipients)) bytesHeld += held.bytes
    unlink(held)
    append(ends, held)
    const recipient: Recipient = alone({ held, response })
    append(held.recipients, recipient)
    return recipient
  }

  const end = (recipient: Recipient): void => {
    const { held } = recipient
    if (held === undefined) return
    unlink(recipient)
    recipient.held = undefined
    recipient.response = undefined
    if (!isEmpty(held.recipients)) return
    unlink(held)
    bytesHeld -= held.bytes
  }

  const cut = ({ recipients }: Held): void => {
    while (!isEmpty(recipients)) {
      const recipient = recipients.after as Recipient
      const { response } = recipient
      end(recipient)
      onCut()
      // Reset, or a body of HTTP/1.0 would look whole.
      response?.socket?.resetAndDestroy()
    }
  }

  const isTooMuch = (): boolean => bytesHeld > most

  const makeRoom = (): void => {
    while (isTooMuch()) cut(ends.after as Held)
  }

  return (body, bytes, response) => {
    if (bytes < fewBytes || response.destroyed) return
    const held = heldOf(body, bytes)
    const recipient = begin(held, response)
    response.once('close', () => end(recipient))
    makeRoom()
  }
}
