import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { dir, file, token, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import { expect, it } from 'vitest'
import { observedApps } from '../inProcess.js'

const serve = observedApps()
// More than the buffers of the system, compressed too.
const nameOf = (seed: string): string =>
  [1, 2].map((part) => createHash('sha512').update(`${seed} ${part}`).digest('base64url')).join('')
const filesOf = (directory: string) =>
  Array.from({ length: 40_000 }, (_, index) => file(nameOf(`${directory} ${index}`)))
const area = ['a', 'b'].map((name) => dir(name, ...filesOf(name)))
const ports = memoryPorts(worldWith(area, { settings: [] }))
const target = (operation: string, name: string) => `/api/storage/v1/${operation}/${token}/${name}`

const asking = async (port: number, path: string, coding: string, version: string) => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/${version}\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: ${coding}\r\n\r\n`)
  // Only the first bytes.
  await once(socket, 'readable')
  return socket
}

type Case = readonly [operation: string, coding: string, version: string, bytes: number]
const cases: ReadonlyArray<Case> = [
  ['diritems', 'identity', '1.1', 12_000_000],
  ['tree', 'identity', '1.0', 2_000_000],
  ['tree', 'gzip', '1.1', 3_000_000],
]

const besideSlowOne = async ([operation, coding, version, bytes]: Case, patienceMs: number) => {
  const { port, ask, lines, metrics } = await serve(ports, { unread: { bytes, patienceMs } })
  const slow = await asking(port, target(operation, 'a'), coding, version)
  const closed = new Promise((resolve) => slow.once('close', resolve))
  const next = (method = 'GET') => ask(target(operation, 'b'), { 'Accept-Encoding': coding }, method)
  return { metrics, lines, slow, closed, next }
}

it.each(cases)('the oldest unread answer is cut for the next: %s, %s, HTTP/%s', async (...of) => {
  const { metrics, lines, slow, closed, next } = await besideSlowOne(of, 0)
  // The buffers of the system must fill first.
  await expect
    .poll(async () => pipe(await next(), ({ status, complete }) => [status, complete]), { timeout: 60_000 })
    .toEqual([200, true])
  slow.resume()
  await closed
  await expect.poll(() => lines.filter(({ aborted }) => aborted === true).length).toBe(1)
  await expect.poll(() => lines.some(({ cut }) => cut === 1)).toBe(true)
  expect(await metrics()).toContain('\ncanopy_unread_responses_cut_total 1\n')
})

it.each(cases)('the service is overloaded while the client may still read: %s, %s, HTTP/%s', async (...of) => {
  const { lines, slow, closed, next } = await besideSlowOne(of, 60_000)
  const head = await next('HEAD')
  expect([head.status, head.body.length]).toEqual([200, 0])
  const refused = await next()
  expect([refused.status, headerOf(refused, 'Retry-After')]).toEqual([503, '1'])
  expect(String(refused.body)).toBe('{"type":"error","error":"overloaded"}')
  await expect.poll(() => lines.some((line) => line['refused'] === 1)).toBe(true)
  slow.resume()
  await closed
  expect(lines.some((line) => 'aborted' in line)).toBe(false)
})
