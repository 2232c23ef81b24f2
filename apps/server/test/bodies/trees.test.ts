import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Envelope, Failure, type ListEnv, operations, Tree } from '@canopy/domain'
import { dir, file, worldWith } from '@canopy/test-support'
import { collectLines, memoryPorts, type Ports, type WorldNode } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bodyOf, type Piece } from '../../src/bodies/bodyOf.js'
import { linePieces } from '../../src/bodies/lines.js'
import { treePieces } from '../../src/bodies/tree.js'
import { get, openTo } from '../http/connecting.js'
import { later, observedApps, settingsAt } from '../inProcess.js'
import { right } from '../startApp.js'

const boundsOf = (lines: { readonly after?: string; readonly name?: string } = {}, nodes?: number): Tree.Bounds =>
  right(Tree.bounds({ lines, nodes }))

const treeOf = async (ports: Ports, bounds: Tree.Bounds): Promise<Tree.Tree> =>
  right(await operations.userContentTree({ user: '1', path: '' }, bounds)(ports)())

const privatePaths = ['/f1', '/f7', '/f8', '/d0', '/d9/f3', '/d149', '/a/f2']
const settings = settingsAt({ '/': 'public', ...Object.fromEntries(privatePaths.map((path) => [path, 'private'])) })

/** Directories with the name `gone` vanish before they are listed. */
const portsOf = (area: ReadonlyArray<WorldNode>, pageEntries?: number): Ports => {
  const ports = memoryPorts(worldWith(area, { settings }), { pageEntries })
  const list: ListEnv['list'] = (inArea, at, options) =>
    at.endsWith('/gone') ? TE.left(Failure.fileNotFound) : ports.list(inArea, at, options)
  return { ...ports, list }
}

const collected = async (pieces: AsyncIterable<Piece>) => {
  const all: Array<Buffer> = []
  let nodes = 0
  for await (const piece of pieces) {
    all.push(piece.bytes)
    nodes += piece.nodes
  }
  return { text: Buffer.concat(all).toString(), nodes }
}

const filesIn = (count: number, name = 'f') => Array.from({ length: count }, (_, index) => file(`${name}${index}`))

const deep = (name: string, levels: number): WorldNode =>
  dir(name, file(`${name}1`), ...(levels === 0 ? [] : [deep(name, levels - 1)]))

const gone = dir('gone')

const areas: ReadonlyArray<readonly [string, ReadonlyArray<WorldNode>]> = [
  ['nothing', []],
  ['files around directories', [...filesIn(10), dir('a', ...filesIn(9)), dir('f10', dir('b')), dir('z', file('x'))]],
  ['many directories', Array.from({ length: 150 }, (_, index) => dir(`d${index}`, ...filesIn(8)))],
  ['a large directory', [...filesIn(1_100), dir('a'), dir('z')]],
  ['a locked directory', [{ ...dir('a', file('x')), locked: true }, file('b')]],
  ['vanished directories', [gone, dir('a', gone), dir('d1', gone, file('x')), dir('z', file('x'), gone)]],
  ['long escaped names', [deep('\u0001'.repeat(240), 15)]],
  ['characters of three bytes', [deep('\u4e2d'.repeat(80), 15), ...filesIn(300, '\u4e2d'.repeat(80))]],
]

describe('the bodies of a tree', () => {
  const variants = areas.flatMap(([name, area]) =>
    ([undefined, 15] as const).map((pageEntries) => [name, pageEntries, portsOf(area, pageEntries)] as const),
  )
  const budgets = [undefined, 1, 12]
  const nodesIn = (text: string, node: RegExp): number => text.match(node)?.length ?? 0

  it.each(variants)('are what the domain collects, to the byte: %s, pages of %s', async (_, __, ports) => {
    for (const bounds of budgets.map((nodes) => right(Tree.bounds({ nodes })))) {
      const { text, nodes } = await collected(treePieces(await treeOf(ports, bounds)))
      expect(text).toBe(Envelope.treeJson(right(await Tree.collect(await treeOf(ports, bounds))())))
      expect(nodes).toBe(nodesIn(text, /"type":"(file|dir)"/g))
    }
  })

  it.each(variants)('as lines are what the domain collects: %s, pages of %s', async (_, __, ports) => {
    const all = [{}, { name: '*1' }, { after: '/f10/b' }, { after: '/a/f3', name: 'f?' }]
    for (const bounds of all.flatMap((lines) => budgets.map((nodes) => boundsOf(lines, nodes)))) {
      const { text, nodes } = await collected(linePieces(await treeOf(ports, bounds), bounds))
      expect(text).toBe(right(await collectLines(await treeOf(ports, bounds), bounds)()))
      expect(nodes).toBe(nodesIn(text, /^{"type":"(file|dir)"/gm))
    }
  })
})

describe('a walk that waits for the storage', () => {
  afterEach(() => vi.useRealTimers())

  /** A storage that holds back the listing of `/b`, which has a file, behind a file. */
  const waiting = (...more: ReadonlyArray<WorldNode>) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const ports = portsOf([file('a'), dir('b', file('c')), ...more])
    const { value: held, give: release } = later()
    const list: ListEnv['list'] = (area, at, options) => async () => {
      if (at === '/b') await held
      return ports.list(area, at, options)()
    }
    return { ports: { ...ports, list }, release }
  }

  const linesOf = async (piece: Promise<IteratorResult<Piece, void>>) => {
    const { value } = await piece
    const lines = String(value?.bytes).trim().split('\n')
    return lines.map((line) => JSON.parse(line))
  }

  it('sends its lines after ten seconds, and its position every ten seconds', async () => {
    const { ports, release } = waiting()
    const chunks = linePieces(await treeOf(ports, boundsOf()), boundsOf())
    const first = chunks.next()
    await vi.advanceTimersByTimeAsync(9_999)
    await vi.advanceTimersByTimeAsync(1)
    expect(await linesOf(first)).toMatchObject([{ path: '/' }, { path: '/a' }])
    const second = chunks.next()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await linesOf(second)).toEqual([{ type: 'at', path: '/a' }])
    const third = chunks.next()
    release()
    expect(await linesOf(third)).toMatchObject([{ path: '/b' }, { path: '/b/c' }, { type: 'end' }])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('sends the path of `after` before it has walked a node', async () => {
    const { ports } = waiting()
    const bounds = boundsOf({ after: '/b/c', name: 'x' })
    const chunk = linePieces(await treeOf(ports, bounds), bounds).next()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await linesOf(chunk)).toEqual([{ type: 'at', path: '/b/c' }])
  })

  it('begins its answer after ten seconds, with few lines too', async () => {
    const { ports, release } = waiting()
    const asked = bodyOf(linePieces(await treeOf(ports, boundsOf({ name: 'c' })), boundsOf({ name: 'c' })), {})
    await vi.advanceTimersByTimeAsync(10_000)
    const body = right(await asked)
    release()
    const bytes = body.is === 'stream' ? await body.stream.toArray() : []
    expect(Buffer.concat(bytes).toString()).toMatch(/^{"type":"at","path":"\/a"}\n.*"\/b\/c".*\n{"type":"end"}\n$/)
  })

  it('stops when its client leaves', async () => {
    const gone = new AbortController()
    const { ports, release } = waiting(dir('d'))
    const chunk = linePieces(await treeOf(ports, boundsOf()), boundsOf(), { signal: gone.signal }).next()
    gone.abort(new Error('gone'))
    release()
    await expect(chunk).rejects.toThrow('gone')
  })
})

const serve = observedApps()

it('a client that reads slowly makes the server buffer at most 2 MB of lines', async () => {
  const area = Array.from({ length: 80_000 }, (_, index) => file(`${'x'.repeat(200)}${10_000 + index}`.slice(-205)))
  const responses: Array<ServerResponse> = []
  const watch = (message: unknown) => void responses.push((message as { readonly response: ServerResponse }).response)
  subscribe('http.server.request.start', watch)
  onTestFinished(() => void unsubscribe('http.server.request.start', watch))
  const { port, counts } = await serve(portsOf(area))
  const { socket } = openTo(port, { paused: true })
  socket.write(get('/api/usercontent/v1/tree/id/1', 'Accept: application/x-ndjson'))
  const { text } = await collected(linePieces(await treeOf(portsOf(area.slice(0, 1)), boundsOf()), boundsOf()))
  const [, line = ''] = text.split('\n')
  let nodes = 0
  const isStalled = async () => {
    const before = nodes
    nodes = (await counts())['canopy_nodes_written_total'] ?? 0
    return nodes > 0 && nodes === before
  }
  for (let reads = 0; reads < 5; reads += 1) {
    await expect.poll(isStalled, { interval: 200 }).toBe(true)
    const { bytesWritten = 0, writableLength = 0 } = responses[0]?.socket ?? {}
    const buffered = nodes * (line.length + 1) - (bytesWritten - writableLength)
    expect([nodes < area.length, buffered > 0, buffered < 2_000_000]).toEqual([true, true, true])
    await once(socket.resume(), 'data')
    socket.pause()
  }
  socket.destroy()
})
