import type { RequestListener, ServerResponse } from 'node:http'
import { dir, file, token, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../apps/server/test/startApp.js'
import { type ClientOptions, createClient, type WalkedNode } from '../src/index.js'
import { error, inSequence, loopOver, neverRespond, respond, visitor, withStub } from './stubService.js'

const node = (path: string, more: object = {}) =>
  `${JSON.stringify({ type: 'file', path, size: 1, last_modified: 2, visibility: { inherited: true, visibility: 'public' }, ...more })}\n`
const locked = (path: string) => node(path, { type: 'dir', size: 0, expanded: false })
const end = '{"type":"end"}\n'
const next = (after: string) => `${JSON.stringify({ type: 'next', after })}\n`
const at = (path: string) => `${JSON.stringify({ type: 'at', path })}\n`

const send = (...lines: ReadonlyArray<string>): RequestListener => respond(200, lines.join(''))

const cutAfter =
  (...lines: ReadonlyArray<string>): RequestListener =>
  (_, response: ServerResponse) => {
    response.writeHead(200).write(lines.join(''), () => response.socket?.resetAndDestroy())
  }

const walked = async (nodes: AsyncIterable<WalkedNode>, after?: () => void) => {
  const { yielded, failure } = await loopOver(nodes, after)
  return { paths: yielded.map(({ path }) => path), failure }
}

/** The paths, the failure and the queries of a walk through a hand-written service. */
const walkedBy = (listener: RequestListener, options: Omit<ClientOptions, 'baseUrl'> = {}, after?: string) =>
  withStub(
    listener,
    async (canopy, { targets }) => ({
      ...(await walked(canopy.walk({ ...visitor, after }))),
      queries: targets.map((target) => new URLSearchParams(target.split('?')[1]).get('after')),
    }),
    { backOffMs: 0, ...options },
  )

describe('a walk', () => {
  it('continues after the last path where a response is cut, wherever that is', async () => {
    const answers = inSequence(
      cutAfter(node('/a'), node('/a/b').slice(0, 9)),
      send(node('/a/b'), at('/a/x')),
      cutAfter(node('/a-1')),
      send(end),
    )
    expect(await walkedBy(answers, { retries: 1 })).toEqual({
      paths: ['/a', '/a/b', '/a-1'],
      failure: undefined,
      queries: [null, '/a', '/a/x', '/a-1'],
    })
  })

  it.each([
    ['a locked directory once, though it is sent again', ['/a', '/b'], [locked('/a')], [locked('/a'), node('/b'), end]],
    [
      'a directory again when it can no longer be read',
      ['/a', '/a/b', '/a'],
      [node('/a', { type: 'dir' }), node('/a/b')],
      [locked('/a'), end],
    ],
  ])('yields %s', async (_, paths, first, second) => {
    expect((await walkedBy(inSequence(cutAfter(...first), send(...second)), { retries: 1 })).paths).toEqual(paths)
  })

  it('repeats temporary failures', async () => {
    const overloaded = respond(503, error('overloaded'))
    expect((await walkedBy(inSequence(overloaded, send(node('/a'), end)), { retries: 1 })).paths).toEqual(['/a'])
  })

  it.each([
    ['retries without progress', 3, cutAfter(), { retries: 2 }, { error: 'incomplete response' }],
    ['a refusal', 1, respond(403, error('permission denied')), { retries: 5 }, { error: 'permission denied' }],
    ['its time', 1, neverRespond, { timeoutMs: 500 }, { error: 'timed out', timeoutMs: 500 }],
  ])('fails after %s, with %i requests', async (_, requestCount, listener, options, failure) => {
    const queries = Array.from({ length: requestCount }, () => null)
    expect(await walkedBy(listener, options)).toEqual({ paths: [], failure, queries })
  })

  it.each([
    ['a path that does not advance', [node('/b'), node('/a'), end], 'line.path'],
    ['a next that does not advance', [next('/')], 'line.after'],
    ['a line that is not JSON', ['nothing\n'], 'line'],
    ['a line without end', ['x'.repeat(40_000)], 'line'],
    ['a node without a size', [node('/a').replace('"size"', '"sizes"')], 'line.size'],
  ])('refuses %s', async (_, lines, part) => {
    const { failure, queries } = await walkedBy(send(...lines), { retries: 3 }, '/')
    expect([failure, queries.length]).toEqual([{ error: 'malformed response', part }, 1])
  })

  it('ends when its signal is aborted', async () => {
    const controller = new AbortController()
    const listener: RequestListener = (_, response) => void response.writeHead(200).write(node('/a'))
    const { paths, failure } = await withStub(listener, (canopy) =>
      walked(canopy.walk(visitor, { signal: controller.signal }), () => controller.abort()),
    )
    expect([paths, failure]).toEqual([['/a'], { error: 'aborted' }])
  })

  it('closes its connection when the loop ends early', async () => {
    let closed: Promise<void> | undefined
    const listener: RequestListener = (_, response) => {
      closed = new Promise((resolve) => response.once('close', resolve))
      response.writeHead(200).write(node('/a'))
    }
    await withStub(listener, async (canopy) => {
      for await (const _ of canopy.walk(visitor)) break
      await expect(closed).resolves.toBeUndefined()
    })
  })
})

it('a walk yields every node of the service once, over many budgets and broken connections', async () => {
  const area = Array.from({ length: 40 }, (_, index) =>
    dir(`d${index}`, ...Array.from({ length: 25 }, (_unused, at) => file(`f${at}`)), dir('e', file('x'))),
  )
  const whole = 1 + 40 * 28
  const { url, stop } = await startApp(memoryPorts(worldWith(area)), { treeNodes: 100 })
  let breaks = 0
  // Truncates the body of each second response.
  const breaking = async (target: string, init: RequestInit) => {
    const response = await fetch(target, init)
    const body = await response.arrayBuffer()
    breaks += 1
    const kept = breaks % 2 === 1 ? Math.floor((body.byteLength * (breaks % 7)) / 7) : body.byteLength
    return new Response(body.slice(0, kept), response)
  }
  const canopy = createClient({ baseUrl: url, fetch: breaking, backOffMs: 0, retries: 1 })
  const { paths, failure } = await walked(canopy.walk({ token, path: '/' }))
  await stop()
  expect([failure, paths.length, new Set(paths).size]).toEqual([undefined, whole, whole])
  expect(breaks).toBeGreaterThan(15)
})
