// So many connections that send a header a byte at a time and never end it: `node slowClients.mjs PORT COUNT`. One that
// is cut comes back a second later.
import { connect } from 'node:net'

const [port, count] = process.argv.slice(2).map(Number)
/** Who sends slowly does it alone: not many of them in the same moment. */
const tickMs = 4
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

const began = performance.now()
let opened = 0
let sent = 0
setInterval(() => {
  const at = performance.now() - began
  for (const due = Math.min(count, (at / openingMs) * count); opened < due; opened += 1) {
    open(opened)
    if (opened + 1 === count) console.log('all open')
  }
  for (const due = (at / byteMs) * count; sent < due; sent += 1) {
    const socket = sockets[sent % count]
    if (socket?.writable) socket.write('x')
  }
}, tickMs)
