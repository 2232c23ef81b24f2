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
  type WorldNode,
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
it('the service over files and SQLite answers generated requests to generated worlds as the reference model does', async () => {
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

/** A service that lets a visitor learn, in one way, of nodes that the visitor may not see. */
interface Leak {
  readonly name: string
  readonly portsOf: (world: World) => Ports
  readonly spoil: (backend: RawBackend) => RawBackend
}

/** Everything a directory holds is turned into something else before anyone chooses what is shown. */
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

/** What was asked is looked up once more, for the owner's eyes. */
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

const turning = throughPorts('the order of a listing turns with the number of everything in it', (entries) =>
  entries.length % 2 === 0 ? entries : [...entries].reverse(),
)

const leaks: ReadonlyArray<Leak> = [
  turning,
  throughPorts('the size of a visible file is that of everything beside it', (entries) =>
    entries.map((entry) => (entry.type === 'file' ? { ...entry, size: sizeOf(entries) as typeof entry.size } : entry)),
  ),
  throughAnswers('the link to a next page counts everything in the directory', (request, response, entries) =>
    response.status === 200 && entries !== undefined && entries.length > limitOf(request)
      ? { ...response, headers: [...response.headers.filter(([key]) => key !== 'Link'), ['Link', '<?after=x>']] }
      : response,
  ),
  throughAnswers('the entity tag is one of everything in the directory', (_, response, entries) => ({
    ...response,
    headers: response.headers.map(([key, value]) =>
      key === 'ETag' && entries !== undefined ? [key, entries.map(({ name }) => name).join()] : [key, value],
    ),
  })),
  throughAnswers('below a private directory only what exists is refused', (_, response, entries) =>
    response.status === 403 && entries === undefined ? { ...response, status: 404 } : response,
  ),
]

const nodesOf = (nodes: ReadonlyArray<WorldNode>): number =>
  nodes.reduce((count, node) => count + 1 + (node.type === 'dir' ? nodesOf(node.content) : 0), 0)

const size = ({ accounts }: World): number =>
  accounts.reduce((count, { area }) => count + (area === 'missing' ? 0 : nodesOf(area)), 0)

const ends: Array<() => Promise<void>> = []
afterEach(() => Promise.all(ends.splice(0).map((end) => end())))

const serving = async (...parameters: Parameters<typeof swappedBackend>) => {
  const { backend, close } = await swappedBackend(...parameters)
  ends.push(close)
  return backend
}

describe('what a visitor receives depends only on the settings and on the nodes that the visitor may see', () => {
  it('over HTTP: pairs of worlds that differ only in invisible nodes are answered alike, byte for byte', async () => {
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

  it.each(leaks)('a leak is caught: $name', async (leak) => {
    const { answers } = await interferenceOf(leak, { pairs: 2000, seed: 1, shrink: false })
    expect(answers[0]).not.toBe(answers[1])
  })

  it('a leak is shown by the smallest pair of worlds and the one request that tell it', async () => {
    const { worlds } = await interferenceOf(turning, { pairs: 500, seed: 2 })
    expect(worlds.map(({ accounts }) => accounts.length)).toEqual([1, 1])
    expect(Math.max(...worlds.map(size))).toBeLessThanOrEqual(4)
  })
})
