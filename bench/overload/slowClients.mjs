// So many connections that send a header a byte at a time and never end it: `node slowClients.mjs PORT COUNT`. One that
// is cut comes back a second later.
import { connect } from 'node:net'

const [port, count] = process.argv.slice(2).map(Number)
const tickMs = 20
const backMs = 1000
/** Each sends a byte so often. */
const byteMs = 2000
/** As long as a server lets one live, so that they are cut and come back evenly, and not all in the same second. */
const openingMs = 11_000
const sockets = []

const open = (index) => {
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '))
  socket.on('error', () => undefined)
  socket.on('data', () => undefined)
  socket.on('close', () => setTimeout(() => open(index), backMs))
  sockets[index] = socket
}

let opened = 0
let next = 0
setInterval(() => {
  for (let left = Math.ceil((count * tickMs) / openingMs); left > 0 && opened < count; left -= 1, opened += 1) {
    open(opened)
    if (opened + 1 === count) console.log('all open')
  }
  for (let left = (count * tickMs) / byteMs; left > 0; left -= 1) {
    if (sockets[next]?.writable) sockets[next].write('x')
    next = (next + 1) % count
  }
}, tickMs)
