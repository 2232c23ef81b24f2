import { dir, file, files, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { get, said } from './http/connecting.js'
import { observedApps } from './inProcess.js'

const ports = memoryPorts(worldWith([dir('few', file('1')), dir('many', ...files(20_000))]))

const listing = '/api/usercontent/v1/diritems/id/1/few'
const largeTree = '/api/usercontent/v1/tree/id/1/many'
const envelope = '{"type":"error","error":"bad request"}'
const lastGet = (target: string, ...headers: ReadonlyArray<string>) => get(target, 'Connection: close', ...headers)

const serve = observedApps()

const statusesIn = (text: string): ReadonlyArray<number> =>
  Array.from(text.matchAll(/HTTP\/1\.1 ([0-9]{3}) /g), ([, status]) => Number(status))

it('a malformed request has the headers of every answer, a log line and a count', async () => {
  const service = await serve(ports)
  const answer = await said(service.port, 'no request\r\n\r\n')
  expect(statusesIn(answer)).toEqual([400])
  expect(answer).toMatch(/\r\nConnection: close\r\n.*\r\nReferrer-Policy: no-referrer\r\n/s)
  expect(answer.endsWith(`\r\n\r\n${envelope}`)).toBe(true)
  expect(Math.abs(Date.parse(/^Date: (.*)\r$/m.exec(answer)?.[1] ?? '') - Date.now())).toBeLessThan(60_000)
  const id = /^X-Request-Id: (.*)\r$/m.exec(answer)?.[1]
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  const line = { msg: 'malformed request', id, status: 400, error: 'bad request', code: 'HPE_INVALID_METHOD' }
  expect(service.lines).toMatchObject([line])
  expect(await service.counts()).toEqual({
    'canopy_requests_total{operation="none",status="400",failure="bad request"}': 1,
    'canopy_request_duration_seconds_count{operation="none"}': 1,
  })
})

const ambiguous = ['Host: another', 'X-Odd: a\x01b', 'Transfer-Encoding: chunked\r\nContent-Length: 5']

it.each(ambiguous)('an ambiguous request closes its connection: %j', async (odd) => {
  const { port } = await serve(ports)
  const answer = await said(port, `${get(listing, odd)}${get(listing)}`)
  expect(statusesIn(answer)).toEqual([400])
  expect(answer).toMatch(/\r\nConnection: close\r\n/)
})

const failing = { ...ports, list: () => TE.left({ error: 'external', cause: 'broken' } as const) }

it.each([
  ['a malformed request follows them', ports, `${get(listing)}${get('/nowhere')}no request\r\n\r\n`, [200, 404, 400]],
  ['one of them fails', failing, `${get(listing)}${lastGet('/nowhere')}`, [502, 404]],
  ['a body is malformed', ports, `${get(listing, 'Transfer-Encoding: chunked')}-\r\n`, [200]],
])('pipelined requests are answered in order: %s', async (_, over, text, statuses) => {
  expect(statusesIn(await said((await serve(over)).port, text))).toEqual(statuses)
})

it.each([
  [97, 200, '}'],
  [98, 431, envelope],
])('a request with 3 headers and %i more has the status %i: 100 are allowed', async (count, status, end) => {
  const { port } = await serve(ports)
  const fillers = Array.from({ length: count }, (_, at) => `X-${at}: x`)
  const answer = await said(port, lastGet(listing, ...fillers, 'X-Last: x'))
  expect(statusesIn(answer)).toEqual([status])
  expect(answer.endsWith(end)).toBe(true)
})

const longest = Array.from({ length: 16 }, () => '%61'.repeat(255)).join('/')

it.each([
  ['the longest path, every byte of it escaped', lastGet(`/api/usercontent/v1/tree/id/2/${longest}`), 403],
  ['a head of 23 KiB', lastGet(listing, `X-Filler: ${'x'.repeat(23 * 1024)}`), 200],
  ['a head of 25 KiB', lastGet(listing, `X-Filler: ${'x'.repeat(25 * 1024)}`), 431],
])('%s has the right status: a head may have 24 KiB', async (_, text, status) => {
  expect(statusesIn(await said((await serve(ports)).port, text))).toEqual([status])
})

it('every header and path is matched in a short time', async () => {
  const { ask } = await serve(ports)
  const odd = `${','.repeat(8_000)}${' '.repeat(8_000)}x`
  const names = ['X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Forwarded-For', 'Accept-Encoding', 'If-None-Match']
  const paths = ['-a', '/a', '%2F', '.', '//'].map((part) => part.repeat(20_000 / part.length))
  const began = performance.now()
  for (const name of names) expect((await ask(listing, { [name]: odd })).status).toBe(200)
  for (const path of paths) expect((await ask(listing + path)).status).toBe(404)
  expect(performance.now() - began).toBeLessThan(2_000)
})

it.each(['', 'TE: chunked\r\n'])('a large tree for HTTP/1.0 has no chunks, with the header "%s"', async (header) => {
  const { port } = await serve(ports)
  const old = await said(port, `GET ${largeTree} HTTP/1.0\r\n${header}\r\n`)
  const [head = '', body = ''] = old.split('\r\n\r\n')
  expect(head).not.toContain('Transfer-Encoding')
  expect(JSON.parse(body).content.content).toHaveLength(20_000)
})
