import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { closed, listening } from './listening.js'

export type Fault =
  /** Nothing listens: `ECONNREFUSED`. */
  | 'refuses'
  | 'hangs'
  /** Closes the connection without a response. */
  | 'hangs up'
  /** Sends half of the body, and nothing more. */
  | 'stalls'
  /** 500 InternalError. */
  | 'fails'
  /** 503 SlowDown. */
  | 'is overloaded'
  /** Closes the connection in the middle of the body. */
  | 'breaks off'
  /** A complete response with half of the XML. */
  | 'answers half'
  /** HTML with status 200. */
  | 'answers garbage'
  | { readonly afterMs: number }
  /** Forwards the request after this. */
  | { readonly after: Promise<unknown> }

interface Asked {
  readonly method: string
  /** Path and query. */
  readonly target: string
}

export type BrokenStore = Awaited<ReturnType<typeof startBrokenStore>>

const errors = { fails: [500, 'InternalError'], 'is overloaded': [503, 'SlowDown'] } as const

const answerError = (response: ServerResponse, [status, code]: readonly [number, string]): void => {
  response.writeHead(status, { 'Content-Type': 'application/xml' })
  response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>broken</Message></Error>`)
}

const passOn = async (endpoint: string, { method, url, headers }: IncomingMessage, body: Buffer) => {
  const { hostname, port } = new URL(endpoint)
  const onward = request({ hostname, port, method, path: url, headers, agent: false })
  onward.end(body)
  const [answer] = (await once(onward, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) }
}

const answer = async (endpoint: string, fault: Fault | undefined, asked: IncomingMessage, response: ServerResponse) => {
  const sent = await buffer(asked)
  if (fault === 'hangs') return
  if (fault === 'hangs up') return response.destroy()
  if (fault === 'fails' || fault === 'is overloaded') return answerError(response, errors[fault])
  if (fault === 'answers garbage') return response.end('<html><body>It works!</body></html>')
  if (typeof fault === 'object') await ('after' in fault ? fault.after : setTimeout(fault.afterMs))
  const { status, headers, body } = await passOn(endpoint, asked, sent)
  const half = body.subarray(0, body.length >> 1)
  const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...others } = headers
  const length = fault === 'answers half' ? half.length : body.length
  // A response to HEAD has a length and no body.
  const hasBody = asked.method !== 'HEAD' && status !== 204 && status !== 304
  response.writeHead(status, hasBody ? { ...others, 'content-length': length } : { ...headers })
  if (fault === 'stalls') return response.write(half)
  if (fault === 'breaks off') return response.write(half, () => response.destroy())
  response.end(fault === 'answers half' ? half : body)
}

/** A proxy of a real object store that breaks on demand. */
export const startBrokenStore = async ({ endpoint }: { readonly endpoint: string }) => {
  let asked: Array<Asked> = []
  let broken: { readonly fault: Fault; readonly only: (asked: Asked) => boolean; left: number } | undefined
  const server = createServer((message, response) => {
    const { method = '', url: target = '' } = message
    const seen = { method, target }
    asked.push(seen)
    const isBroken = broken !== undefined && broken.left > 0 && broken.only(seen)
    if (isBroken && broken !== undefined) broken.left -= 1
    answer(endpoint, isBroken ? broken?.fault : undefined, message, response).catch(() => response.destroy())
  })
  const port = await listening(server)
  const repair = async () => {
    broken = undefined
    if (!server.listening) await listening(server, port)
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    /** The requests since the start or the last `clear`. */
    get asked(): ReadonlyArray<Asked> {
      return asked
    },
    clear: () => {
      asked = []
    },
    /** Breaks the selected requests, this number of times; by default all. */
    breakNow: async (fault: Fault, breakage: { times?: number; only?: (asked: Asked) => boolean } = {}) => {
      const { times = Number.POSITIVE_INFINITY, only = () => true } = breakage
      await repair()
      if (fault === 'refuses') return closed(server)
      broken = { fault, only, left: times }
    },
    repair,
    stop: async () => {
      if (server.listening) await closed(server)
    },
  }
}
