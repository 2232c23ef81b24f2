import type { ServerResponse } from 'node:http'
import { cutAnswer } from '../http/AnswerCut.js'

/**
 * Asks for room for a body, or for what makes one, which takes these bytes of memory until its client has read it. False
 * when there is none: then it must not be sent.
 */
export type RoomFor = (body: object, bytes: number, response: ServerResponse) => boolean

/** What is smaller takes less than its connection, and is most of what is answered: it is not counted. */
const fewBytes = 64 * 1024

export interface UnreadBounds {
  /** Memory in bytes; 0 for any amount. */
  readonly bytes: number
  /** For this long, in milliseconds, a client that began to read is not cut. */
  readonly patienceMs: number
}

/** A body that some clients have not read yet. */
interface Unread {
  readonly bytes: number
  askedAt: number
  /** The one that asked first comes first. */
  readonly responses: Set<ServerResponse>
}

const waitsForItsClient = ({ responses: [first] }: Pick<Unread, 'responses'>): boolean =>
  (first?.writableLength ?? 0) > 0

/**
 * Bounds the memory of answers that clients have not read yet. A body counts once, however many read it. Where there is no
 * room, those clients are cut whose body was asked for the longest time ago; if none of them has had its time, there is no
 * room for what is new. `onCut` is called for each client.
 */
export const unreadBytes = ({ bytes: most, patienceMs }: UnreadBounds, onCut: () => void): RoomFor => {
  if (most === 0) return () => true
  /** The one that was asked for the longest time ago comes first. */
  const unread = new Map<object, Unread>()
  let held = 0

  const release = (body: object, response: ServerResponse): void => {
    const found = unread.get(body)
    if (found?.responses.delete(response) !== true || found.responses.size > 0) return
    unread.delete(body)
    held -= found.bytes
  }

  const makeRoom = (bytes: number): void => {
    const since = performance.now() - patienceMs
    for (const [body, found] of unread) {
      if (held + bytes <= most || found.askedAt > since) return
      if (!waitsForItsClient(found)) continue
      for (const response of found.responses) {
        release(body, response)
        onCut()
        cutAnswer(response, 'unread answers took more than CANOPY_UNREAD_BYTES')
      }
    }
  }

  return (body, size, response) => {
    if (size < fewBytes || response.destroyed) return true
    // One that is larger than all the memory may have that for itself.
    const bytes = Math.min(size, most)
    const found = unread.get(body) ?? { bytes, askedAt: 0, responses: new Set() }
    if (found.responses.size === 0) {
      if (held + bytes > most) makeRoom(bytes)
      if (held + bytes > most) return false
      held += bytes
    }
    found.askedAt = performance.now()
    found.responses.add(response)
    unread.delete(body)
    unread.set(body, found)
    // Once: a response that outlives its end must not hold the body.
    response.once('close', () => release(body, response))
    return true
  }
}
