import { execFileSync } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { StoragePath } from '@canopy/domain'
import { dir, file, token, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts, textFile, type World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it, vi } from 'vitest'
import { archive } from '../../src/files/archive.js'
import type { HandlerEnv } from '../../src/operationHandlers.js'
import { servedApps, serviceOfFile, settingsAt } from '../inProcess.js'

const hostile = 'x"\r\nSet-Cookie: y'
const similarNames = ['A', 'a', '%41', 'README', 'Readme', 'ReadMe', 'readme', '%72eadme', 'é', 'e\u0301', 'ß', 'ẞ']
const oddNames = ['b:c', 'C:', '..\\..\\up', '-rf', 'two\nlines', '\u202egpj.exe', '\u0001', '"', '100%', '%zz']
const hostileNames = [...similarNames, ...oddNames]

const world: World = worldWith(
  [
    dir(
      'photos',
      textFile('a.txt', 'the text of a'),
      dir('empty'),
      dir('ü', textFile('b\n.txt', 'the text of b')),
      dir('hidden', textFile('secret.txt', 'SECRET')),
      file('none', 0),
    ),
    dir('broken', textFile('a', 'a'), { ...dir('locked'), locked: true }),
    dir(hostile, ...hostileNames.map((name) => textFile(name, name))),
  ],
  { settings: settingsAt({ '/': 'public', '/photos/hidden': 'private' }) },
)

const serve = servedApps()
const files = { maxDownloads: 10 }

const script = `
import io, json, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
print(json.dumps({name: archive.read(name).decode() for name in archive.namelist()}))`

const entriesOf = (archive: Buffer): Readonly<Record<string, string>> =>
  JSON.parse(execFileSync('python3', ['-c', script], { encoding: 'utf8', input: archive }))

const { ask: archiveOf } = serviceOfFile(memoryPorts(world), { files })

it('an archive has the files and empty directories that a visitor sees, up to the budget', async () => {
  const { ask } = await serve(memoryPorts(world), { files, treeNodes: 6 })
  const answer = await ask('/files/id/1/photos?zip')
  expect([answer.status, headerOf(answer, 'Content-Type')]).toEqual([200, 'application/zip'])
  expect(headerOf(answer, 'Content-Disposition')).toBe('attachment; filename="photos.zip"')
  expect(entriesOf(answer.body)).toEqual({
    'a.txt': 'the text of a',
    'empty/': '',
    none: '',
    'ü/b\n.txt': 'the text of b',
  })
})

it('an archive has everything that a token opens', async () => {
  const { body } = await archiveOf(`/files/token/${token}/photos?zip`)
  expect(entriesOf(body)).toMatchObject({ 'hidden/secret.txt': 'SECRET', 'a.txt': 'the text of a' })
})

it('archives encode names that extractors take for one another, for paths or for drives', async () => {
  const { headers, body } = await archiveOf(`/files/id/1/${encodeURIComponent(hostile)}?zip`)
  expect(headers.filter(([name, value]) => name === 'Set-Cookie' || /[^\x20-\x7e]/.test(value))).toEqual([])
  const entries = Object.entries(entriesOf(body))
  for (const [name] of entries) expect(name).not.toMatch(/[\\:]|^\/|(^|\/)\.\.(\/|$)/)
  const decoded = entries.map(([name]) => decodeURIComponent(name.replace(/%(?![0-9a-f]{2})/gi, '%25')))
  expect(decoded.sort()).toEqual([...hostileNames].sort())
  expect(entries.map(([, text]) => text).sort()).toEqual([...hostileNames].sort())
  expect(new Set(entries.map(([name]) => name.normalize('NFC').toLowerCase())).size).toBe(hostileNames.length)
})

it('an archive has no range, tag or length, and HEAD has no body', async () => {
  const target = '/files/id/1/photos?zip'
  const answer = await archiveOf(target, { Range: 'bytes=0-1' })
  const said = ['ETag', 'Content-Length', 'Content-Range'].map((name) => headerOf(answer, name))
  expect([answer.status, ...said]).toEqual([200, undefined, undefined, undefined])
  expect(await archiveOf(target, {}, 'HEAD')).toMatchObject({ status: 200, body: Buffer.of() })
})

it.each([
  ['/photos/a.txt?zip', 409, 'type mismatch', 6],
  ['/photos/hidden?zip', 403, 'permission denied', 6],
  ['/nothing?zip', 404, 'file not found', 6],
  ['/photos?zip=1', 400, 'bad request', 6],
  ['/photos?zip&zip', 400, 'bad request', 6],
  ['/photos?zip', 413, 'too large', 5],
  ['/broken?zip', 502, 'external', 6],
])('%s is refused before the first byte with %i %s, within %i nodes', async (path, status, error, treeNodes) => {
  const { ask } = await serve(memoryPorts(world), { files, treeNodes })
  const answer = await ask(`/files/id/1${path}`)
  expect([answer.status, JSON.parse(String(answer.body)).error]).toEqual([status, error])
})

it('an archive of many empty directories is whole, however late its client reads', async () => {
  const bytes = async function* () {
    yield Buffer.alloc(200_000)
  }
  const file = { opened: { size: 200_000n, bytes, close: async () => undefined } }
  const tree = { open: () => async () => E.right(file) } as unknown as Parameters<typeof archive>[1]
  const directories = Array.from({ length: 10_000 }, (_, index) => ({ name: `${index}/`, seconds: 0n }))
  const env = { context: {} } as HandlerEnv
  const output = archive(env, tree, [{ path: StoragePath.root, name: 'a', seconds: 0n }, ...directories])
  await sleep(1_000)
  expect((await buffer(output)).length).toBeGreaterThan(1_000_000)
})

it('a file that opens after the client of its archive has left is not streamed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const opened: Array<string> = []
  const open = (path: StoragePath.StoragePath) => async () => {
    opened.push(path)
    return E.right({ opened: {} })
  }
  const tree = { open } as unknown as Parameters<typeof archive>[1]
  archive({} as HandlerEnv, tree, [{ path: StoragePath.root, name: 'a', seconds: 0n }]).destroy()
  await setImmediate()
  expect([opened, vi.getTimerCount()]).toEqual([['/'], 0])
  vi.useRealTimers()
})
