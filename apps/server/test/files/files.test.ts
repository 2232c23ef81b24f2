import { dir, file, token, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts, textFile, type World } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { servedApps } from '../inProcess.js'

const world: World = worldWith(
  [
    dir('open', textFile('a.txt', 'the text of a'), textFile('page.html', '<script>'), file('none', 0)),
    dir('closed', textFile('secret.txt', 'SECRET')),
    textFile('ü\n.txt', 'odd'),
  ],
  {
    settings: [
      { path: '/', visibility: 'public' },
      { path: '/closed', visibility: 'private' },
    ],
  },
)

const serve = servedApps()
const files = { maxDownloads: 10 }
const served = () => serve(memoryPorts(world), { files })

describe('the routes of files', () => {
  it.each([
    ['/files/id/1/open/a.txt', 'the text of a'],
    [`/files/token/${token}/open/a.txt`, 'the text of a'],
    [`/files/token/${token}/closed/secret.txt`, 'SECRET'],
    ['/files/id/1/open%2Fa.txt', 'the text of a'],
    ['/files/id/1/%C3%BC%0A.txt', 'odd'],
    ['/files/id/1/open/none', ''],
  ])('send %s', async (target, text) => {
    const { status, headers, body } = await (await served()).ask(target)
    expect([status, headerOf({ headers }, 'Content-Length'), String(body)]).toEqual([
      200,
      `${Buffer.byteLength(text)}`,
      text,
    ])
  })

  it.each([
    ['/files/id/1/closed/secret.txt', 403, 'permission denied'],
    ['/files/id/9/open/a.txt', 403, 'permission denied'],
    [`/files/token/${token.replace(/.$/, 'A')}x/open/a.txt`, 401, 'invalid token'],
    ['/files/id/1/open/b.txt', 404, 'file not found'],
    ['/files/id/1/open/../closed/secret.txt', 404, 'file not found'],
    ['/files/id/1/open', 409, 'type mismatch'],
    ['/files/id/1', 409, 'type mismatch'],
    ['/files/id/1/open/a.txt/', 409, 'type mismatch'],
    ['/files/id/1/open/a.txt/b', 409, 'type mismatch'],
    ['/files/id/1/open/a.txt?zip=1', 400, 'bad request'],
    ['/files/id/', 404, 'no such route'],
    ['/files/1/open/a.txt', 404, 'no such route'],
  ])('answer %s with %i %s', async (target, status, error) => {
    const answer = await (await served()).ask(target)
    expect([answer.status, JSON.parse(String(answer.body)).error]).toEqual([status, error])
  })

  it('send a range with 206, and answer one beyond the end with 416', async () => {
    const service = await served()
    const part = await service.ask('/files/id/1/open/a.txt', { Range: 'bytes=4-7' })
    expect([part.status, headerOf(part, 'Content-Range'), String(part.body)]).toEqual([206, 'bytes 4-7/13', 'text'])
    for (const range of ['bytes=13-', 'bytes=99-']) {
      const { status, headers, body } = await service.ask('/files/id/1/open/a.txt', { Range: range })
      expect([status, headerOf({ headers }, 'Content-Range')]).toEqual([416, 'bytes */13'])
      expect(JSON.parse(String(body))).toEqual({ type: 'error', error: 'bad request' })
    }
  })

  it('answer a known tag or time with 304 and without a body', async () => {
    const service = await served()
    const first = await service.ask('/files/id/1/open/a.txt')
    for (const known of [
      { 'If-None-Match': headerOf(first, 'ETag') ?? '' },
      { 'If-Modified-Since': headerOf(first, 'Last-Modified') ?? '' },
    ])
      expect(await service.ask('/files/id/1/open/a.txt', known)).toMatchObject({ status: 304, body: Buffer.of() })
  })

  it('answer HEAD with the headers of GET, OPTIONS, and no other method', async () => {
    const service = await served()
    const [get, head] = [
      await service.ask('/files/id/1/open/a.txt'),
      await service.ask('/files/id/1/open/a.txt', {}, 'HEAD'),
    ]
    const own = new Set(['Date', 'X-Request-Id'])
    const steady = ({ headers }: typeof get) => headers.filter(([name]) => !own.has(name))
    expect(head.body).toHaveLength(0)
    expect(steady(head)).toEqual(steady(get))
    expect((await service.ask('/files/id/1/open/a.txt', {}, 'OPTIONS')).status).toBe(204)
    expect((await service.ask('/files/id/1/open/a.txt', {}, 'PUT')).status).toBe(405)
  })

  it('are missing unless files are on and the storage can open them', async () => {
    const { openFile: _, ...others } = memoryPorts(world)
    for (const service of [await serve(memoryPorts(world)), await serve(others, { files })]) {
      const { status, body } = await service.ask('/files/id/1/open/a.txt')
      expect([status, JSON.parse(String(body)).error]).toEqual([404, 'no such route'])
    }
  })
})
