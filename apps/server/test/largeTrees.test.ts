import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Envelope, Failure, type ListEnv } from '@canopy/domain'
import { dir, files, token, worldWith } from '@canopy/test-support'
import { askInProcess, headerOf, memoryPorts, type Ports, request, type WorldNode } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { breakingListing } from './breakingListing.js'
import { logged } from './logs.js'
import { servedApps } from './servedApps.js'

const path = `/api/storage/v1/tree/${token}`

const directories = (count: number): ReadonlyArray<WorldNode> =>
  Array.from({ length: count }, (_, index) => dir(`directory ${String(index).padStart(4, '0')}`, ...files(20)))

const ports = memoryPorts(worldWith(directories(300)))

/** The same ports, but the listing of one directory does this instead. */
const listingOf = (name: string, instead: ListEnv['list']): Ports => ({
  ...ports,
  list: (area, at) => (at === `/${name}` ? instead(area, at) : ports.list(area, at)),
})

const breaking: ListEnv['list'] = () => TE.right(breakingListing())

describe('a tree larger than one chunk', () => {
  const serve = servedApps()

  it('is streamed, and is byte for byte the tree that the domain collects', async () => {
    const service = await serve(ports)
    const answer = await request(service.port, { method: 'GET', target: path })
    expect([answer.status, answer.complete, headerOf(answer, 'Transfer-Encoding')]).toEqual([200, true, 'chunked'])
    expect({ body: answer.body.toString() }).toEqual(
      await askInProcess(ports)({ operation: 'storageTree', credential: token, path: '' }),
    )
  })

  it('is one of more than 256 KiB: a smaller one has a length and an entity tag', async () => {
    const framingOf = async (count: number) => {
      const { port } = await serve(memoryPorts(worldWith(files(count))))
      const answer = await request(port, { method: 'GET', target: path })
      const isLarge = answer.body.length > 256 * 1024
      return [isLarge, ...['Content-Length', 'ETag'].map((name) => headerOf(answer, name) === undefined)]
    }
    expect(await framingOf(1_900)).toEqual([false, false, false])
    expect(await framingOf(3_000)).toEqual([true, true, true])
  })

  it('with a directory that cannot be listed is whole, but for that one, which is not expanded', async () => {
    const { lines, log } = logged('warn')
    const service = await serve(
      listingOf('directory 0299', () => TE.left(Failure.external(new Error('the disk is gone')))),
      { log },
    )
    const { status, complete, body } = await request(service.port, { method: 'GET', target: path })
    const children: ReadonlyArray<{ readonly content?: unknown }> = JSON.parse(body.toString()).content.content
    expect([status, complete, children.length]).toEqual([200, true, 300])
    expect(children.flatMap(({ content }, index) => (content === undefined ? [index] : []))).toEqual([299])
    await service.stop()
    expect(lines).toMatchObject([
      {
        level: 40,
        status: 200,
        unreadable: { directories: 1, first: { path: '/directory 0299', cause: { message: 'the disk is gone' } } },
      },
    ])
  })

  it('whose writing breaks after the first byte is cut off, so that no client takes it for whole', async () => {
    const service = await serve(listingOf('directory 0299', breaking))
    const answer = await request(service.port, { method: 'GET', target: path })
    expect([answer.status, answer.complete]).toEqual([200, false])
    expect(answer.body.length).toBeGreaterThan(64 * 1024)
  })

  it.each(['identity', 'br', 'gzip'])(
    'whose writing breaks after the first byte has its connection ended: %s',
    async (encoding) => {
      const service = await serve(listingOf('directory 0299', breaking))
      const answer = await fetch(`${service.url}${path}`, { headers: { 'Accept-Encoding': encoding } })
      expect([answer.status, answer.headers.get('Content-Encoding') ?? 'identity']).toEqual([200, encoding])
      await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
    },
  )

  it('whose writing breaks after the first byte leaves its cause in the log', async () => {
    const { lines, log } = logged()
    const service = await serve(listingOf('directory 0299', breaking), { log })
    await request(service.port, { method: 'GET', target: path })
    await service.stop()
    expect(lines).toMatchObject([
      { level: 50, status: 200, error: 'external', aborted: true, cause: { message: 'a bug' } },
    ])
  })

  it('whose writing breaks before the first byte is external', async () => {
    const service = await serve(listingOf('directory 0001', breaking))
    const answer = await request(service.port, { method: 'GET', target: path })
    expect([answer.status, answer.body.toString()]).toEqual([502, Envelope.errorJson('external')])
  })

  it('leaves out a directory that vanishes during the walk', async () => {
    const service = await serve(listingOf('directory 0299', () => TE.left(Failure.fileNotFound)))
    const { body, complete } = await request(service.port, { method: 'GET', target: path })
    const names = JSON.parse(body.toString()).content.content.map(({ name }: { readonly name: string }) => name)
    expect([complete, names.length, names.at(-1)]).toEqual([true, 299, 'directory 0298'])
  })

  it('stops being read when the client hangs up', async () => {
    const directoryCount = 3000
    const many = memoryPorts(worldWith(directories(directoryCount)))
    const listed: Array<string> = []
    const service = await serve({
      ...many,
      list: (area, at) => async () => {
        listed.push(at)
        await sleep(1)
        return many.list(area, at)()
      },
    })
    const socket = connect(service.port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      socket.once('data', () => socket.destroy())
    })
    await new Promise((resolve) => socket.once('close', resolve))
    // Whatever was under way may end; then nothing more is asked for.
    let before = -1
    while (before !== listed.length) {
      before = listed.length
      await sleep(300)
    }
    expect(listed.length).toBeLessThan(directoryCount)
  })

  it('ends at the node budget: a directory has all its children or no content', async () => {
    const service = await serve(ports, { treeNodes: 1000 })
    const { body } = await request(service.port, { method: 'GET', target: path })
    const children: ReadonlyArray<{ readonly content?: ReadonlyArray<unknown> }> = JSON.parse(body.toString()).content
      .content
    const expanded = children.filter(({ content }) => content !== undefined)
    expect([children.length, expanded.length]).toEqual([300, 34])
    expect(expanded.every(({ content }) => content?.length === 20)).toBe(true)
  })
})
