// Requests that arrive at a fixed rate, whether or not earlier ones were answered. In a process of its own:
//
//   node openLoop.mjs '{"port":8080,"path":"/","perSecond":100,"seconds":3,"connections":64}'
//
// Each is due at a time, evenly spaced, and arrives when this process comes to it, whose lateness is none of the server's.
// That it then waits for a free connection is part of its latency. The first second is not counted. A request that failed
// counts as one that took ten seconds. Prints one JSON document.
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../figures.mjs'
import { openConnection } from './openConnection.mjs'

const { port, path, perSecond, seconds, connections } = JSON.parse(process.argv[2])

const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, 'latin1')

const warmUpMs = 1000
const longestMs = 10_000
const total = Math.round(perSecond * seconds)
const latencies = []
const waiting = []
const free = []
const state = { failed: 0, outstanding: 0 }

/** Takes what waits longest, or waits. */
const release = (connection) => {
  const next = waiting.shift()
  if (next === undefined) free.push(connection)
  else send(connection, next)
}

const send = (connection, arrived) => {
  connection.ask(request, (status) => {
    state.outstanding -= 1
    if (status !== 200) state.failed += 1
    if (arrived >= counted) latencies.push(status === 200 ? performance.now() - arrived : longestMs)
    if (status !== 0) release(connection)
    else openConnection(port).then(release, () => undefined)
  })
}

const arrive = (arrived) => {
  state.outstanding += 1
  const connection = free.pop()
  if (connection === undefined) waiting.push(arrived)
  else send(connection, arrived)
}

free.push(...(await Promise.all(Array.from({ length: connections }, () => openConnection(port)))))
const began = performance.now()
const counted = began + warmUpMs
const dueAt = (index) => began + (index / perSecond) * 1000
const last = Math.round((warmUpMs / 1000) * perSecond) + total

for (let index = 0; index < last; ) {
  const now = performance.now()
  while (index < last && dueAt(index) <= now) {
    arrive(now)
    index += 1
  }
  await sleep(1)
}
const until = performance.now() + longestMs
while (state.outstanding > 0 && performance.now() < until) await sleep(5)

for (let none = state.outstanding; none > 0; none -= 1) latencies.push(longestMs)

const failed = state.failed + state.outstanding
console.log(JSON.stringify({ asked: total, failed, p99: quantile(latencies, 0.99) }))
process.exit()
