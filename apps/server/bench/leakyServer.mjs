// The service over files and SQLite, but it takes longer for some targets: what the timing must notice.
// node leakyServer.mjs DATA MICROSECONDS FILE, where FILE holds the targets as JSON.
import { readFileSync } from 'node:fs'
import { openData, serve } from './services.mjs'

const [data = '', microseconds = '', file = ''] = process.argv.slice(2)
const slow = new Set(JSON.parse(readFileSync(file, 'utf8')))
const { ports } = await openData(data)

const wait = () => {
  const end = process.hrtime.bigint() + BigInt(microseconds) * 1000n
  while (process.hrtime.bigint() < end);
}

const { url } = await serve(ports, (server) =>
  server.prependListener('request', (request) => {
    if (slow.has(request.url)) wait()
  }),
)
console.log(JSON.stringify({ msg: 'listening', url }))
