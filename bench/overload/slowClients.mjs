// So many connections that send a header a byte at a time and never end it: `node slowClients.mjs PORT COUNT`. One that
// is cut comes back.
import { connect } from 'node:net'

const [port, count] = process.argv.slice(2).map(Number)
const sockets = []

const open = (index) => {
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '))
  socket.on('error', () => undefined)
  socket.on('data', () => undefined)
  socket.on('close', () => setTimeout(() => open(index), 1000))
  sockets[index] = socket
}

// Spread evenly: nobody is slow in step with everybody else.
let next = 0
const perTick = count / 100
setInterval(() => {
  for (let index = 0; index < perTick; index += 1) {
    const socket = sockets[next]
    if (socket === undefined) open(next)
    else if (socket.writable) socket.write('x')
    next = (next + 1) % count
    if (next === 0) console.log('all open')
  }
}, 20)
