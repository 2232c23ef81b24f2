import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { Failure, type OpenedFile } from '@canopy/domain'
import { file, token, worldWith } from '@canopy/test-support'
import { memoryPorts, mutableMemory, textFile, type World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it, vi } from 'vitest'
import { later, observedApps } from '../inProcess.js'

const size = 64 * 1024 * 1024
const world = worldWith([file('large', size), textFile('a.txt', 'the text of a')])
const files = { maxDownloads: 2 }

const serve = observedApps()

/** Begins to read an answer, and reads no more of it. */
const begin = async (port: number, path: string): Promise<IncomingMessage> => {
  const asked = get({ host: '127.0.0.1', port, path, agent: false })
  asked.on('error', () => undefined)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.on('error', () => undefined)
  return response
}

/** Resolves with the number of bytes, and whether the answer was complete. */
const readAll = async (response: IncomingMessage) => {
  let bytes = 0
  response.on('data', (chunk) => {
    bytes += chunk.length
  })
  // `once` of events would reject with the error of a reset.
  await new Promise((resolve) => response.once('close', resolve))
  return { bytes, isComplete: response.complete }
}

it('stalled downloads at their bound refuse only further downloads', async () => {
  const { port, ask } = await serve(memoryPorts(world), {
    files,
    maxAdmitted: files.maxDownloads,
    unread: { bytes: 1_000_000, patienceMs: 0 },
  })
  const stalled = [await begin(port, '/files/id/1/large'), await begin(port, '/files/id/1/large')]
  const third = await ask('/files/id/1/a.txt')
  expect([third.status, JSON.parse(String(third.body)).error]).toEqual([503, 'overloaded'])
  expect((await ask('/files/id/1/a.txt', {}, 'HEAD')).status).toBe(200)
  for (const operation of ['tree', 'diritems'])
    expect((await ask(`/api/usercontent/v1/${operation}/id/1`)).status).toBe(200)
  expect(stalled.map(({ destroyed }) => destroyed)).toEqual([false, false])
  stalled[0]?.destroy()
  await vi.waitUntil(async () => (await ask('/files/id/1/a.txt')).status === 200)
  stalled[1]?.destroy()
})

it.each<readonly [string, string, Partial<World['accounts'][number]>, string]>([
  ['a private file', '/files/id/1/large', { settings: [{ path: '/', visibility: 'private' }] }, 'permission denied'],
  ['an unverified account', '/files/id/1/large', { verified: false }, 'permission denied'],
  [
    'a revoked token',
    `/files/token/${token}/large`,
    { tokens: [{ token, scope: '/', state: 'revoked' }] },
    'invalid token',
  ],
])('%s is cut within two seconds, with the reason in the log', async (_, target, change, error) => {
  let current = world
  const { port, lines } = await serve(
    mutableMemory()(() => current),
    { files },
  )
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
  const service = await serve(memoryPorts(world), { files, answerMs: 1 })
  expect(await readAll(await begin(service.port, '/files/id/1/large'))).toEqual({ bytes: size, isComplete: true })
})

it('a stalled download ends after CANOPY_IDLE_MS', async () => {
  const connections = { maxConnections: 10, idleMs: 1_000 }
  const { port, lines } = await serve(memoryPorts(world), { files, connections })
  const response = await begin(port, '/files/id/1/large')
  const line = await vi.waitUntil(() => lines.find(({ msg }) => msg === 'request'), 5_000)
  expect(line).toMatchObject({ cut: 'connection idle for CANOPY_IDLE_MS' })
  response.destroy()
})

it('200 slow downloads do not affect listings', async () => {
  const { port, ask } = await serve(memoryPorts(world), {
    files: { maxDownloads: 200 },
    maxAdmitted: 20,
    unread: { bytes: 1_000_000, patienceMs: 0 },
  })
  const downloads: Array<IncomingMessage> = []
  while (downloads.length < 200) downloads.push(await begin(port, '/files/id/1/large'))
  for (let round = 0; round < 20; round += 1) {
    for (const download of downloads) download.read(10_000)
    expect((await ask('/api/usercontent/v1/diritems/id/1')).status).toBe(200)
  }
  expect((await ask('/files/id/1/a.txt')).status).toBe(503)
  expect(downloads.filter(({ destroyed }) => destroyed)).toEqual([])
  for (const download of downloads) download.destroy()
})

it.each([
  [10_000, true],
  [100, false],
])('a stop lets downloads end within %i ms: %s', async (stopMs, isInTime) => {
  const service = await serve(memoryPorts(world), { files })
  const response = await begin(service.port, '/files/id/1/large')
  const stopped = service.stop({ drainMs: 0, quietMs: 0, stopMs })
  if (!isInTime) await stopped
  const { bytes, isComplete } = await readAll(response)
  expect([bytes === size, isComplete, await stopped]).toEqual([isInTime, isInTime, isInTime ? 0 : 1])
})

it('log and metrics have bytes and ranges', async () => {
  const { ask, lines, counts } = await serve(memoryPorts(world), { files })
  await ask('/files/id/1/a.txt')
  await ask('/files/id/1/a.txt', { Range: 'bytes=0-1' })
  await ask('/files/id/1/a.txt', {}, 'HEAD')
  await ask('/files/id/1?zip', {}, 'HEAD')
  await vi.waitUntil(() => lines.length === 4)
  expect(lines.map(({ operation, bytes }) => [operation, bytes])).toEqual([
    ['userContentFile', 13],
    ['userContentFile', 2],
    ['userContentFile', undefined],
    ['userContentFile', undefined],
  ])
  expect(await counts()).toMatchObject({
    canopy_file_bytes_total: 15,
    'canopy_downloads_total{kind="file"}': 1,
    'canopy_downloads_total{kind="range"}': 1,
    'canopy_requests_total{operation="userContentFile",status="206",failure="none"}': 1,
  })
})

/** A storage whose file has other bytes than it says. */
const wrongFile = (close: () => Promise<void>, ...chunks: ReadonlyArray<E.Either<Failure.External, Uint8Array>>) => ({
  ...memoryPorts(world),
  openFile: () =>
    TE.right<Failure.OfStorage, OpenedFile>({
      size: 10n,
      last_modified: 1n as OpenedFile['last_modified'],
      version: 'v',
      bytes: async function* () {
        yield* chunks
      },
      close,
    }),
})

const bytes = (length: number) => E.right(Buffer.alloc(length))

it.each([
  ['fewer', [bytes(9)]],
  ['more', [bytes(5), bytes(6)]],
  ['a failure after some', [bytes(5), E.left(Failure.external(new Error('the file became shorter')))]],
])('a file with %s bytes is cut, and closed', async (_, chunks) => {
  const close = vi.fn<() => Promise<void>>(async () => undefined)
  const { port, lines } = await serve(wrongFile(close, ...chunks), { files })
  const { bytes: received, isComplete } = await readAll(await begin(port, '/files/id/1/a.txt'))
  expect([received < 10, isComplete]).toEqual([true, false])
  await vi.waitUntil(() => lines.some(({ msg }) => msg === 'request'))
  expect(lines.at(-1)).toMatchObject({ error: 'external', status: 200 })
  expect(close).toHaveBeenCalled()
})

it.each<readonly [string, string, Readonly<Record<string, string>>]>([
  ['HEAD', 'HEAD', {}],
  ['a known tag', 'GET', { 'If-None-Match': '"v"' }],
  ['a range beyond the end', 'GET', { Range: 'bytes=10-' }],
])('the file is closed after %s', async (_, method, headers) => {
  const close = vi.fn<() => Promise<void>>(async () => undefined)
  const { ask } = await serve(wrongFile(close), { files })
  await ask('/files/id/1/a.txt', headers, method)
  await expect.poll(() => close.mock.calls.length).toBeGreaterThan(0)
})

it('a file that comes after the time limit is closed', async () => {
  const opened = later()
  const close = vi.fn<() => Promise<void>>(async () => undefined)
  const { openFile, ...others } = wrongFile(close, bytes(10))
  const slow = { ...others, openFile: () => () => opened.value.then(openFile()) }
  const { ask } = await serve(slow, { files, portMs: 50 })
  const { status } = await ask('/files/id/1/a.txt')
  expect([status, close.mock.calls.length]).toEqual([502, 0])
  opened.give()
  await vi.waitUntil(() => close.mock.calls.length > 0)
})
