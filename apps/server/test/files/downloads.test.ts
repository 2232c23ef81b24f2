import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type Failure, type OpenedFile, U64 } from '@canopy/domain'
import { dir, file, token, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts, mutableMemory, textFile, type World } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it, vi } from 'vitest'
import type { ServerEnv } from '../../src/server.js'
import { openTo, get as send } from '../http/connecting.js'
import { later, observedApps, withoutOwn } from '../inProcess.js'

const size = 64 * 1024 * 1024
const odd = dir('odd', textFile('ü\n.txt', 'a line feed'), file('none', 0))
const world = worldWith([file('large', size), textFile('a.txt', 'the text of a'), odd])
const files = { maxDownloads: 2 }
const serve = observedApps()
const serveFiles = (options: Partial<ServerEnv> = {}) => serve(memoryPorts(world), { files, ...options })

it.each([
  ['/files/id/1/odd%2F%C3%BC%0A.txt', 200, 'a line feed'],
  ['/files/id/1/odd/none', 200, ''],
  ['/files/id/', 404, '{"type":"error","error":"no such route"}'],
  ['/files/1/a.txt', 404, '{"type":"error","error":"no such route"}'],
])('%s is %i with the body %s', async (target, status, text) => {
  const { ask } = await serveFiles()
  const answer = await ask(target)
  expect([answer.status, String(answer.body)]).toEqual([status, text])
})

it('a file has HEAD with the headers of GET, OPTIONS, and no other method', async () => {
  const service = await serveFiles()
  const ask = (method: string) => service.ask('/files/id/1/a.txt', {}, method)
  const [get, head] = [await ask('GET'), await ask('HEAD')]
  expect([head.body.length, withoutOwn(head)]).toEqual([0, withoutOwn(get)])
  expect(headerOf(get, 'Access-Control-Expose-Headers')).toContain('Content-Range')
  expect([(await ask('OPTIONS')).status, (await ask('PUT')).status]).toEqual([204, 405])
})

it('files are missing unless they are on and the storage can open them', async () => {
  const { openFile: _, ...others } = memoryPorts(world)
  for (const service of [await serve(memoryPorts(world)), await serve(others, { files })])
    expect((await service.ask('/files/id/1/a.txt')).status).toBe(404)
})

/** Reads only the head of an answer. */
const begin = async (port: number, path: string): Promise<IncomingMessage> => {
  const asked = get({ host: '127.0.0.1', port, path, agent: false })
  asked.on('error', () => undefined)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.on('error', () => undefined)
  return response
}

const readAll = async (response: IncomingMessage) => {
  let bytes = 0
  response.on('data', (chunk) => {
    bytes += chunk.length
  })
  // `once` of events would reject with the error of a reset.
  await new Promise((resolve) => response.once('close', resolve))
  return { bytes, isComplete: response.complete }
}

it('200 slow downloads at their bound refuse only further downloads', async () => {
  const unread = { bytes: 1_000_000, patienceMs: 0 }
  const { port, ask } = await serveFiles({ files: { maxDownloads: 200 }, maxAdmitted: 20, unread })
  const downloads: Array<IncomingMessage> = []
  while (downloads.length < 200) downloads.push(await begin(port, '/files/id/1/large'))
  for (let round = 0; round < 20; round += 1) {
    for (const download of downloads) download.read(10_000)
    for (const operation of ['tree', 'diritems'])
      expect((await ask(`/api/usercontent/v1/${operation}/id/1`)).status).toBe(200)
  }
  const refused = await ask('/files/id/1/a.txt')
  expect([refused.status, JSON.parse(String(refused.body)).error]).toEqual([503, 'overloaded'])
  expect((await ask('/files/id/1/a.txt', {}, 'HEAD')).status).toBe(200)
  expect(downloads.filter(({ destroyed }) => destroyed)).toEqual([])
  downloads[0]?.destroy()
  await vi.waitUntil(async () => (await ask('/files/id/1/a.txt')).status === 200)
  for (const download of downloads) download.destroy()
})

const revoked = { token, scope: '/', state: 'revoked' } as const

it.each<readonly [string, string, Partial<World['accounts'][number]>, string]>([
  ['a private file', '/files/id/1/large', { settings: [{ path: '/', visibility: 'private' }] }, 'permission denied'],
  ['an unverified account', '/files/id/1/large', { verified: false }, 'permission denied'],
  ['a revoked token', `/files/token/${token}/large`, { tokens: [revoked] }, 'invalid token'],
])('%s is cut within two seconds, with the reason in the log', async (_, target, change, error) => {
  let current = world
  const ports = mutableMemory()(() => current)
  const { port, lines } = await serve(ports, { files })
  const response = await begin(port, target)
  const [account] = world.accounts
  if (account !== undefined) current = { ...world, accounts: [{ ...account, ...change }] }
  const changedAt = performance.now()
  const line = await vi.waitUntil(() => lines.find(({ msg }) => msg === 'request'), 5_000)
  expect(performance.now() - changedAt).toBeLessThan(2_500)
  expect((await readAll(response)).isComplete).toBe(false)
  expect(line).toMatchObject({ status: 200, error, aborted: true })
  expect(JSON.stringify(lines)).not.toContain(token)
})

it('a download takes longer than CANOPY_ANSWER_MS', async () => {
  const service = await serveFiles({ answerMs: 1 })
  expect(await readAll(await begin(service.port, '/files/id/1/large'))).toEqual({ bytes: size, isComplete: true })
})

it('a stalled download ends after CANOPY_IDLE_MS', async () => {
  const { port, lines } = await serveFiles({ connections: { maxConnections: 10, idleMs: 1_000 } })
  const response = await begin(port, '/files/id/1/large')
  const line = await vi.waitUntil(() => lines.find(({ msg }) => msg === 'request'), 5_000)
  expect(line).toMatchObject({ cut: 'connection idle for CANOPY_IDLE_MS' })
  response.destroy()
})

it.each([
  [10_000, true],
  [100, false],
])('a stop lets downloads end within %i ms: %s', async (stopMs, isInTime) => {
  const service = await serveFiles()
  const response = await begin(service.port, '/files/id/1/large')
  const stopped = service.stop({ drainMs: 0, quietMs: 0, stopMs })
  if (!isInTime) await stopped
  const { bytes, isComplete } = await readAll(response)
  expect([bytes === size, isComplete, await stopped]).toEqual([isInTime, isInTime, isInTime ? 0 : 1])
})

it('log and metrics have bytes and ranges', async () => {
  const { ask, lines, counts } = await serveFiles()
  await ask('/files/id/1/a.txt')
  await ask('/files/id/1/a.txt', { Range: 'bytes=0-1' })
  await ask('/files/id/1/a.txt', {}, 'HEAD')
  await ask('/files/id/1?zip', {}, 'HEAD')
  await vi.waitUntil(() => lines.length === 4)
  expect(lines.map(({ operation }) => operation)).toEqual(Array(4).fill('userContentFile'))
  expect(lines.map(({ bytes }) => bytes)).toEqual([13, 2, undefined, undefined])
  expect(await counts()).toMatchObject({
    canopy_file_bytes_total: 15,
    'canopy_downloads_total{kind="file"}': 1,
    'canopy_downloads_total{kind="range"}': 1,
    'canopy_requests_total{operation="userContentFile",status="206",failure="none"}': 1,
  })
})

/** A storage whose file has other bytes than it says. */
const wrongFile = (...chunks: ReadonlyArray<Uint8Array | Error>) => {
  const close = vi.fn<() => Promise<void>>(async () => undefined)
  const bytes = async function* () {
    for (const chunk of chunks) {
      if (chunk instanceof Error) throw chunk
      yield chunk
    }
  }
  const opened: OpenedFile = { size: 10n, last_modified: U64.clamp(1n), version: 'v', bytes, close }
  return { close, ports: { ...memoryPorts(world), openFile: () => TE.right<Failure.OfStorage, OpenedFile>(opened) } }
}

const bytes = (length: number) => Buffer.alloc(length)

it.each([
  ['fewer', [bytes(9)]],
  ['more', [bytes(5), bytes(6)]],
  ['a failure after some', [bytes(5), new Error('the file became shorter')]],
])('a file with %s bytes is cut, and closed', async (_, chunks) => {
  const { close, ports } = wrongFile(...chunks)
  const { port, lines } = await serve(ports, { files })
  const { bytes: received, isComplete } = await readAll(await begin(port, '/files/id/1/a.txt'))
  expect([received < 10, isComplete]).toEqual([true, false])
  await vi.waitUntil(() => lines.some(({ msg }) => msg === 'request'))
  expect(lines.at(-1)).toMatchObject({ error: 'external', status: 200 })
  expect(close).toHaveBeenCalled()
})

it.each([
  ['HEAD', 'HEAD'],
  ['a known tag', 'GET', 'If-None-Match: "v"'],
  ['a range beyond the end', 'GET', 'Range: bytes=10-'],
])('the file is closed after %s, even while an earlier response is awaited', async (_, method, ...headers) => {
  const { close, ports } = wrongFile()
  const { port } = await serve({ ...ports, list: () => () => new Promise(() => undefined) }, { files, portMs: 60_000 })
  const { socket } = openTo(port)
  socket.write(send('/api/usercontent/v1/diritems/id/1'))
  socket.write(send('/files/id/1/a.txt', ...headers).replace('GET', method))
  await expect.poll(() => close.mock.calls.length, { timeout: 5_000 }).toBeGreaterThan(0)
  socket.destroy()
})

it('a file that comes after the time limit is closed', async () => {
  const opened = later()
  const { close, ports } = wrongFile(bytes(10))
  const slow = { ...ports, openFile: () => () => opened.value.then(ports.openFile()) }
  const { ask } = await serve(slow, { files, portMs: 50 })
  const { status } = await ask('/files/id/1/a.txt')
  expect([status, close.mock.calls.length]).toEqual([502, 0])
  opened.give()
  await vi.waitUntil(() => close.mock.calls.length > 0)
})
