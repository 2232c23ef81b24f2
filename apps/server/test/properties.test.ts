import { Area, type Entry, StoragePath, UserId } from '@canopy/domain'
import { openRegistry, RegistryUrl } from '@canopy/registry'
import { fsStorage, StorageRoot } from '@canopy/storage-fs'
import { nonInterference, type RawBackend, runs, swappedBackend } from '@canopy/test-support'
import {
  httpBackend,
  memoryPorts,
  modelAgreement,
  type Ports,
  type RawRequest,
  type RawResponse,
  removeDirectory,
  type World,
} from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, describe, expect, it } from 'vitest'
import { seedData } from './seedData.js'
import { startApp } from './startApp.js'
import { temporaryData } from './startServer.js'

const rightOf = <A>(read: E.Either<unknown, A>): A =>
  E.isRight(read) ? read.right : expect.fail(JSON.stringify(read.left))

// Over memory the harness asks the model.
it('the service over files and SQLite agrees with the reference model', async () => {
  const backend = httpBackend('HTTP over files and SQLite', false, async (world) => {
    const data = await temporaryData()
    await seedData(data, world)
    const url = rightOf(RegistryUrl.fromString(data, `sqlite:${data}/registry.sqlite`))
    const registry = rightOf(await openRegistry(url)())
    const storage = fsStorage(rightOf(StorageRoot.fromText(data)('file:areas')))
    const { port, stop } = await startApp({ ...registry, ...storage })
    const close = async () => {
      await stop()
      await registry.close()
      await removeDirectory(data)
    }
    return { port, close }
  })
  const report = await modelAgreement(backend, { requests: runs(400), seed: 3, asksPerWorld: 50 })
  expect(report).toMatchObject({ disagreement: O.none })
  expect(report.requests).toBeGreaterThanOrEqual(runs(400))
})

type Entries = ReadonlyArray<Entry.Entry>

/** A service that leaks invisible nodes. */
interface Leak {
  readonly name: string
  readonly portsOf: (world: World) => Ports
  readonly spoil: (backend: RawBackend) => RawBackend
}

/** Changes the entries of a directory, hidden ones too, before visibility is decided. */
const throughPorts = (name: string, spoilt: (entries: Entries) => Entries): Leak => ({
  name,
  portsOf: (world) => {
    const ports = memoryPorts(world)
    const list: Ports['list'] = (area, path) =>
      pipe(
        ports.list(area, path),
        TE.map((listing) => ({ ...listing, entries: spoilt([...listing.entries]) })),
      )
    return { ...ports, list }
  },
  spoil: (backend) => backend,
})

/** Changes an answer by all entries of its directory. */
const throughAnswers = (
  name: string,
  spoilt: (request: RawRequest, response: RawResponse, entries: Entries | undefined) => RawResponse,
): Leak => {
  const entriesAt = async (world: World, target: string): Promise<Entries | undefined> => {
    const [, user = '', path = ''] = /^\/api\/usercontent\/v1\/[a-z]+\/id\/([^/?]*)([^?]*)/.exec(target) ?? []
    const [owner, requested] = [UserId.fromRawSegment(user), StoragePath.fromRaw(path)]
    if (O.isNone(owner) || O.isNone(requested)) return undefined
    const area = { owner: owner.value, location: Area.location(String(owner.value)) }
    const listed = await memoryPorts(world).list(area, requested.value.path)()
    return E.isRight(listed) ? [...listed.right.entries] : undefined
  }
  const spoil: Leak['spoil'] = (backend) => ({
    ...backend,
    open: async (world) => {
      const { send, close } = await backend.open(world)
      const spoiltBy = async (response: RawResponse, request: RawRequest | undefined) =>
        request === undefined ? response : spoilt(request, response, await entriesAt(world, request.target))
      return {
        close,
        send: async (requests) =>
          Promise.all((await send(requests)).map((response, index) => spoiltBy(response, requests[index]))),
      }
    },
  })
  return { name, portsOf: memoryPorts, spoil }
}

const sizeOf = (entries: Entries): bigint =>
  entries.reduce((sum, entry) => sum + (entry.type === 'file' ? entry.size : 0n), 0n)

const limitOf = ({ target }: RawRequest): number => Number(/[?&]limit=(\d+)/.exec(target)?.[1])

const leaks: ReadonlyArray<Leak> = [
  throughPorts('order', (entries) => (entries.length % 2 === 0 ? entries : [...entries].reverse())),
  throughPorts('sizes', (entries) =>
    entries.map((entry) => (entry.type === 'file' ? { ...entry, size: sizeOf(entries) as typeof entry.size } : entry)),
  ),
  throughAnswers('count', (request, response, entries) =>
    response.status === 200 && entries !== undefined && entries.length > limitOf(request)
      ? { ...response, headers: [...response.headers.filter(([key]) => key !== 'Link'), ['Link', '<?after=x>']] }
      : response,
  ),
  throughAnswers('entity tag', (_, response, entries) => ({
    ...response,
    headers: response.headers.map(([key, value]) =>
      key === 'ETag' && entries !== undefined ? [key, entries.map(({ name }) => name).join()] : [key, value],
    ),
  })),
  throughAnswers('existence', (_, response, entries) =>
    response.status === 403 && entries === undefined ? { ...response, status: 404 } : response,
  ),
]

const ends: Array<() => Promise<void>> = []
afterEach(() => Promise.all(ends.splice(0).map((end) => end())))

const serving = async (...parameters: Parameters<typeof swappedBackend>) => {
  const { backend, close } = await swappedBackend(...parameters)
  ends.push(close)
  return backend
}

describe('answers to visitors depend only on settings and visible nodes', () => {
  it('worlds that differ only in invisible nodes have the same bytes', async () => {
    const pairs = runs(100)
    const report = await nonInterference(await serving('HTTP over memory', startApp), { pairs, seed: 1 })
    expect(report).toMatchObject({ pairs, interference: O.none })
    expect(report.differing).toBeGreaterThan(0.7 * pairs)
  })

  const interferenceOf = async ({ portsOf, spoil }: Leak, options: Parameters<typeof nonInterference>[1]) => {
    const backend = spoil(await serving('a service that leaks', startApp, portsOf))
    const { interference } = await nonInterference(backend, options)
    return O.isSome(interference) ? interference.value : expect.fail('nothing was caught')
  }

  it.each(leaks)('a leak is detected: $name', async (leak) => {
    const { answers } = await interferenceOf(leak, { pairs: 2000, seed: 1, shrink: false })
    expect(answers[0]).not.toBe(answers[1])
  })
})
