import { Area, type Entry, StoragePath, UserId } from '@canopy/domain'
import { nonInterference, type RawBackend, runs, swappedBackend } from '@canopy/test-support'
import { memoryPorts, type RawRequest, type RawResponse, type World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startApp } from './startApp.js'

type Entries = ReadonlyArray<Entry.Entry>

/** Changes a response to a visitor by all entries of the requested directory, hidden ones too. */
type Leak = (response: RawResponse, entries: Entries | undefined, request: RawRequest) => RawResponse

const inBody =
  (write: (text: string, entries: Entries) => string): Leak =>
  (response, entries) =>
    response.status === 200 && entries !== undefined
      ? { ...response, body: Buffer.from(write(String(response.body), entries)) }
      : response

const leaks: Readonly<Record<string, Leak>> = {
  order: inBody((text, entries) => (entries.length % 2 === 0 ? text : text.split('{').reverse().join('{'))),
  sizes: inBody((text, entries) => {
    const total = entries.reduce((sum, entry) => sum + (entry.type === 'file' ? entry.size : 0n), 0n)
    return text.replaceAll(/"size":\d+/g, `"size":${total}`)
  }),
  count: (response, entries, { target }) =>
    response.status === 200 && entries !== undefined && entries.length > Number(/[?&]limit=(\d+)/.exec(target)?.[1])
      ? { ...response, headers: [...response.headers.filter(([key]) => key !== 'Link'), ['Link', '<?after=x>']] }
      : response,
  'entity tag': (response, entries) => ({
    ...response,
    headers: response.headers.map(([key, value]) =>
      key === 'ETag' && entries !== undefined ? [key, entries.map(({ name }) => name).join()] : [key, value],
    ),
  }),
  existence: (response, entries) =>
    response.status === 403 && entries === undefined ? { ...response, status: 404 } : response,
}

const entriesAt = async (world: World, target: string): Promise<Entries | undefined> => {
  const [, user = '', path = ''] = /^\/api\/usercontent\/v1\/[a-z]+\/id\/([^/?]*)([^?]*)/.exec(target) ?? []
  const [owner, requested] = [UserId.fromRawSegment(user), StoragePath.fromRaw(path)]
  if (O.isNone(owner) || O.isNone(requested)) return undefined
  const area = { owner: owner.value, location: Area.location(String(owner.value)) }
  const listed = await memoryPorts(world).list(area, requested.value.path)()
  return E.isRight(listed) ? [...listed.right.entries] : undefined
}

const leaking = (backend: RawBackend, leak: Leak): RawBackend => ({
  ...backend,
  open: async (world) => {
    const { send, close } = await backend.open(world)
    const sendLeaking: typeof send = async (requests) => {
      const responses = RA.zip(requests)(await send(requests))
      return Promise.all(
        responses.map(async ([response, request]) => leak(response, await entriesAt(world, request.target), request)),
      )
    }
    return { send: sendLeaking, close }
  },
})

const serving = async (name: string) => {
  const { backend, close } = await swappedBackend(name, startApp)
  onTestFinished(close)
  return backend
}

describe('answers to visitors depend only on settings and visible nodes', () => {
  it('worlds that differ only in invisible nodes have the same bytes', async () => {
    const pairs = runs(100)
    const report = await nonInterference(await serving('HTTP over memory'), { pairs, seed: 1 })
    expect(report).toMatchObject({ pairs, interference: O.none })
    expect(report.differing).toBeGreaterThan(0.7 * pairs)
  })

  it.each(Object.entries(leaks))('a leak is detected: %s', async (_, leak) => {
    const backend = leaking(await serving('a service that leaks'), leak)
    const { interference } = await nonInterference(backend, { pairs: 2000, seed: 1, shrink: false })
    expect(interference).toMatchObject({ _tag: 'Some' })
  })
})
