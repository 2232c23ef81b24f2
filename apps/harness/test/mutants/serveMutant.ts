import { createServer, type Socket } from 'node:net'
import { listening } from '@canopy/test-support'
import { fixture, memoryPorts, type RawResponse, sendRaw } from '@canopy/testkit'
import { onTestFinished } from 'vitest'
import { startApp } from '../../../server/test/startApp.js'
import type { Asked, Mutant } from './mutants.js'

const withTarget = (head: string, { method, target }: Asked): string =>
  head.replace(/^\S+ .*(?= HTTP\/1\.1\r\n)/, () => `${method} ${target}`)

const askedIn = (head: string): Asked => {
  const [, method = '', target = ''] = /^(\S+) (.*) HTTP\/1\.1\r\n/.exec(head) ?? []
  return { method, target }
}

const bytesOf = ({ status, headers, body }: RawResponse, { method }: Asked): Buffer => {
  const chunked = headers.some(([name]) => name === 'Transfer-Encoding')
  const sent = [
    ...headers.filter(([name]) => name !== 'Transfer-Encoding'),
    ...(chunked && method !== 'HEAD' ? [['Content-Length', `${body.length}`]] : []),
  ]
  const head = [`HTTP/1.1 ${status} Mutant`, ...sent.map(([name, value]) => `${name}: ${value}`), '', '']
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body])
}

const requestOn = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += String(chunk)
      if (text.endsWith('\r\n\r\n')) resolve(text)
    })
  })

/** Serves the fixture in memory through a mutant until the test ends, and returns the URL. */
export const serveMutant = async ({ world, ports, asked, answered }: Partial<Mutant> = {}): Promise<string> => {
  const seeded = (world ?? ((same) => same))(fixture(true))
  const memory = memoryPorts(seeded)
  const right = await startApp({ ...memory, ...ports?.(memory, seeded) }, { files: { maxDownloads: 10 } })
  const ask = (target: string): Promise<RawResponse> =>
    sendRaw(right.port, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  const serve = async (socket: Socket): Promise<void> => {
    const request = await requestOn(socket)
    const was = askedIn(request)
    const answer = await sendRaw(
      right.port,
      asked === undefined ? request : withTarget(request, asked(was)),
      was.method,
    )
    socket.end(bytesOf(answered === undefined ? answer : await answered(answer, was, ask), was))
  }
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    serve(socket).catch(() => socket.destroy())
  })
  const port = await listening(server)
  onTestFinished(async () => {
    server.close()
    await right.stop()
  })
  return `http://127.0.0.1:${port}`
}
