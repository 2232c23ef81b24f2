import type { ServerResponse } from 'node:http'
import { cutResponse } from '../http/HttpResponse.js'

/**
 * Reserves memory for a body, or for the stream that produces it, until its client has read it. Returns false if there is too
 * little memory: then the body must not be sent.
 */
export type RoomFor = (body: object, bytes: number, response: ServerResponse) => boolean

export interface UnreadBounds {
  /** Memory for unread bodies in one process; 0 for no limit. */
  readonly bytes: number
  /** A client is not cut within this time after its request, in milliseconds. */
  readonly patienceMs: number
}

/**
 * Limits the memory of responses that clients have not read yet. A body counts once, however many clients read it. Over the
 * limit, the clients of the oldest bodies are cut, if they have had their time. `onCut` is called for each client.
 */
export const unreadBytes = ({ bytes, patienceMs }: UnreadBounds, onCut: () => void): RoomFor => {
  if (bytes === 0) return () => true
  const bodies = new UnreadBodies(bytes, patienceMs, onCut)
  return (body, size, response) =>
    response.destroyed || isUncounted(size, response) || bodies.reserve(body, Math.min(size, bytes), response)
}

/**
 * Most responses are smaller than this, and take less memory than their connection, unless they wait without a socket for an earlier
 * response of the connection.
 */
const isUncounted = (size: number, { socket }: ServerResponse): boolean => size < 64 * 1024 && socket !== null

interface UnreadBody {
  readonly bytes: number
  requestedAt: number
  /** Oldest first. */
  readonly responses: Set<ServerResponse>
}

class UnreadBodies {
  readonly #maxBytes: number
  readonly #patienceMs: number
  readonly #onCut: () => void
  /** The body of the oldest request first. */
  readonly #bodies = new Map<object, UnreadBody>()
  #bytes = 0

  constructor(maxBytes: number, patienceMs: number, onCut: () => void) {
    this.#maxBytes = maxBytes
    this.#patienceMs = patienceMs
    this.#onCut = onCut
  }

  reserve(body: object, bytes: number, response: ServerResponse): boolean {
    const unread = this.#bodies.get(body) ?? { bytes, requestedAt: 0, responses: new Set() }
    if (unread.responses.size === 0) {
      if (this.#isOver(bytes)) this.#makeRoom(bytes)
      if (this.#isOver(bytes)) return false
      this.#bytes += bytes
    }
    unread.requestedAt = performance.now()
    unread.responses.add(response)
    // Moves the body to the end of the map.
    this.#bodies.delete(body)
    this.#bodies.set(body, unread)
    // `once`, because a response that outlives its end must not keep the body in memory.
    response.once('close', () => this.#release(body, response))
    return true
  }

  #isOver(more: number): boolean {
    return this.#bytes + more > this.#maxBytes
  }

  #makeRoom(bytes: number): void {
    const patientSince = performance.now() - this.#patienceMs
    for (const [body, unread] of this.#bodies) {
      if (!this.#isOver(bytes) || unread.requestedAt > patientSince) return
      if (!isClientLate(unread)) continue
      for (const response of unread.responses) {
        this.#release(body, response)
        this.#onCut()
        cutResponse(response, 'unread responses exceeded CANOPY_UNREAD_BYTES')
      }
    }
  }

  #release(body: object, response: ServerResponse): void {
    const unread = this.#bodies.get(body)
    if (unread?.responses.delete(response) !== true || unread.responses.size > 0) return
    this.#bodies.delete(body)
    this.#bytes -= unread.bytes
  }
}

/** Reports whether the client is late. Otherwise it has read everything so far, and this server is late. */
const isClientLate = ({ responses: [oldest] }: UnreadBody): boolean => (oldest?.writableLength ?? 0) > 0
