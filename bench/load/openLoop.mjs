// Requests that arrive at a fixed rate, whether or not earlier ones were answered. In a process of its own:
//
//   node openLoop.mjs '{"port":8080,"path":"/","perSecond":1000,"seconds":3,"connections":64,"spin":true}'
//
// Each has a time at which it is due, evenly spaced, and arrives as soon after it as this process comes to it, whose own
// lateness is none of the server's. Then it waits for a free connection if need be, and that waiting is part of its latency. `spin` never sleeps, so that no arrival is late by the milliseconds of a timer; it takes a whole
// processor. The first second is not counted. A request that failed counts as one that took ten seconds. Prints one JSON
// document.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { quantile } from '../figures.mjs'
import { openConnection } from './openConnection.mjs'

const { port, path, perSecond, seconds, connections, spin } = JSON.parse(process.argv[2])

const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, 'latin1')

const warmUpMs = 1000
const longestMs = 10_000
const total = Math.round(perSecond * seconds)
const latencies = []
const waiting = []
const free = []
const state = { failed: 0, outstanding: 0, lastAnswer: 0 }

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
    state.lastAnswer = performance.now()
    if (arrived >= counted) latencies.push(status === 200 ? state.lastAnswer - arrived : longestMs)
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
  await (spin ? turn() : sleep(1))
}
const until = performance.now() + longestMs
while (state.outstanding > 0 && performance.now() < until) await sleep(5)

for (let none = state.outstanding; none > 0; none -= 1) latencies.push(longestMs)

console.log(
  JSON.stringify({
    asked: total,
    failed: state.failed + state.outstanding,
    p99: quantile(latencies, 0.99),
    perSecond: latencies.length / ((state.lastAnswer - counted) / 1000),
  }),
)
process.exit()
