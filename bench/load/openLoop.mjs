// Requests that arrive at a fixed rate, whether or not earlier ones were answered. In a process of its own:
//
//   node openLoop.mjs '{"port":8080,"path":"/","perSecond":100,"seconds":3}'
//
// The first second is not counted. A request that failed counts as one that took ten seconds. Prints one JSON document.
import { quantile } from '../figures.mjs'
import { connectionPool } from './connectionPool.mjs'
import { openLoop } from './loads.mjs'

const { port, path, perSecond, seconds } = JSON.parse(process.argv[2])
const warmUpMs = 1000
const failedMs = 10_000

const { ask } = connectionPool(port, path)
await openLoop(ask, perSecond, warmUpMs)
const { answers } = await openLoop(ask, perSecond, seconds * 1000)
const failed = answers.filter(({ status }) => status !== 200).length
const latencies = answers.map(({ status, ms }) => (status === 200 ? ms : failedMs))
console.log(JSON.stringify({ asked: answers.length, failed, p99: quantile(latencies, 0.99) }))
process.exit()
