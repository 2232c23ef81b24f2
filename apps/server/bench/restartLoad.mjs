// Clients that ask all the time, and count how each attempt ended.
import { createHash } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** What an attempt can come to. */
const outcomes = {
  complete: 'the whole answer, and the right one',
  shed: 'a whole answer, 503 overloaded',
  refused: 'no connection: nobody listened',
  notAccepted: 'a new connection ended before any byte of an answer: it was in the queue of a socket that closed',
  race: 'a kept connection ended before any byte of an answer: closed as idle while the request was on its way',
  truncated: 'the connection ended inside an answer',
  hung: 'no whole answer within ten seconds',
  wrong: 'a whole answer, but another than before',
}

/**
 * The service had taken the connection, the request was sent on it, and no whole and right answer came. Where nobody has
 * taken the connection, the system refuses or resets it, and every client may ask again.
 */
export const failuresInFlight = ['race', 'truncated', 'hung', 'wrong']

const longestMs = 10_000

const digestOf = (status, chunks) =>
  `${status} ${createHash('sha256').update(Buffer.concat(chunks)).digest('base64url')}`

/** One attempt. Rejects never. */
const attempt = (port, path, agent) =>
  new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path, agent })
    let before = 0
    let answered = false
    asked.once('socket', (socket) => {
      before = socket.bytesRead
    })
    const timer = setTimeout(() => end('hung'), longestMs)
    const end = (outcome, digest) => {
      clearTimeout(timer)
      asked.destroy()
      resolve({ outcome, digest })
    }
    const broken = ({ code }) => {
      if (code === 'ECONNREFUSED') return end('refused')
      const silent = !answered && (asked.socket?.bytesRead ?? 0) === before
      return end(silent ? (asked.reusedSocket ? 'race' : 'notAccepted') : 'truncated')
    }
    asked.once('error', broken)
    asked.once('response', (answer) => {
      answered = true
      const chunks = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.once('error', broken)
      answer.once('end', () => {
        clearTimeout(timer)
        resolve(
          answer.statusCode === 503
            ? { outcome: 'shed' }
            : { outcome: 'complete', digest: digestOf(answer.statusCode, chunks) },
        )
      })
    })
    asked.end()
  })

/** How long a client thinks before its next request at most, in milliseconds: short, middling, and long enough to seem idle. */
const thinking = [10, 100, 1_000]

/**
 * `clients` ask for one target after the other until they are stopped. Every fourth takes a new connection each time, the
 * others keep theirs. Whatever an attempt came to, the client goes on.
 */
export const startLoad = (port, targets, clients) => {
  const counts = Object.fromEntries(Object.keys(outcomes).map((outcome) => [outcome, 0]))
  const known = new Map()
  const state = { running: true }

  const judged = (target, { outcome, digest }) => {
    if (outcome !== 'complete') return outcome
    if (!known.has(target)) known.set(target, digest)
    return known.get(target) === digest ? outcome : 'wrong'
  }

  const client = async (index) => {
    const kept = index % 4 !== 3
    const agent = new Agent({ keepAlive: kept, maxSockets: 1 })
    for (let turn = index; state.running; turn += 1) {
      const target = targets[turn % targets.length]
      const outcome = judged(target, await attempt(port, target, agent))
      counts[outcome] += 1
      await sleep(outcome === 'refused' ? 20 : Math.random() * thinking[index % thinking.length])
    }
    agent.destroy()
  }

  const all = Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  return {
    counts,
    stop: async () => {
      state.running = false
      await all
    },
  }
}
