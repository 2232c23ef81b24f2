import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Area, type UserId } from '@canopy/domain'
import { openRegistry, RegistryUrl } from '@canopy/registry'
import { openRegistryWriter } from '@canopy/registry/admin'
import { cachedListings, changeEvents, fsStorage, StorageRoot } from '@canopy/storage-fs'
import { s3Storage } from '@canopy/storage-s3'
import {
  findCeph,
  findPostgres,
  findSwift,
  type ObjectStore,
  seededAreas,
  startCeph,
  startPostgres,
  startSwift,
} from '@canopy/test-support'
import {
  type ChangingStorage,
  type FilePorts,
  memoryRegistry,
  memoryStorage,
  type Ports,
  removeDirectory,
  type Seeded,
  type SeedRegistry,
  type SeedStorage,
  type StoragePorts,
  seedDirectory,
  seedRegistry,
  type World,
  type WorldAccount,
  withNode,
} from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { toPromise } from './Command.js'

export const backendNames = ['memory', 'sqlite', 'postgresql', 'ceph', 'swift'] as const
export type BackendName = (typeof backendNames)[number]

interface Backend {
  /** The name in reports. */
  readonly title: string
  /** Finds the engine, or names the missing one. */
  readonly find: (variables: Readonly<Record<string, string | undefined>>) => E.Either<string, unknown>
  readonly open: () => Promise<Adapters>
}

/** Adapters under test, and functions that seed their data. */
export interface Adapters {
  /** False if sizes above 2^44 or times above 2^33 cannot be seeded. */
  readonly holdsEveryU64: boolean
  /** Whether locked directories and dead mounts can be seeded. */
  readonly holdsFaults: boolean
  /** No longer path can be seeded. */
  readonly maxPathBytes: number
  readonly seedAreas: (areas: Areas) => Promise<SeededAreas>
  readonly seedRegistry: SeedRegistry
  /** Removes all seeded data. */
  readonly close: () => Promise<void>
}

interface SeededAreas extends Seeded<StoragePorts & FilePorts> {
  /** Changes a node of the area at this location. */
  readonly change: (location: string, ...changed: Parameters<ChangingStorage['change']>) => Promise<void>
}

type Areas = ReadonlyArray<readonly [location: string, nodes: WorldAccount['area']]>
type StorageAdapter = Omit<Adapters, 'seedRegistry'>
type RegistryAdapter = Pick<Adapters, 'seedRegistry' | 'close'>

export const seedStorage =
  ({ seedAreas }: Adapters): SeedStorage<ChangingStorage> =>
  async (nodes, otherNodes) => {
    const { change, ...seeded } = await seedAreas([
      ['1', nodes],
      ['2', otherNodes],
    ])
    return {
      ...seeded,
      area: { owner: 1n as UserId.UserId, location: Area.location('1') },
      other: { owner: 2n as UserId.UserId, location: Area.location('2') },
      change: (path, node) => change('1', path, node),
    }
  }

export const seedWorld =
  ({ seedAreas, seedRegistry }: Adapters) =>
  async (world: World): Promise<Seeded<Ports & FilePorts>> => {
    const areas = await seedAreas(world.accounts.map(({ id, area }) => [id, area]))
    const registry = await seedRegistry(world)
    return {
      ports: { ...registry.ports, ...areas.ports },
      close: async () => {
        await registry.close()
        await areas.close()
      },
    }
  }

const noop = async (): Promise<void> => undefined

/** The reference implementation. */
const memory: Adapters = {
  holdsEveryU64: true,
  holdsFaults: true,
  maxPathBytes: Number.POSITIVE_INFINITY,
  seedAreas: async (areas) => {
    const nodesByLocation = new Map(areas)
    return {
      ports: memoryStorage(({ location }) => nodesByLocation.get(location) ?? 'missing'),
      change: async (location, path, node) => {
        const nodes = nodesByLocation.get(location) ?? 'missing'
        if (nodes !== 'missing') nodesByLocation.set(location, withNode(nodes, path, node))
      },
      close: noop,
    }
  },
  seedRegistry: async (world) => ({ ports: memoryRegistry(world), close: noop }),
  close: noop,
}

const newTemporaryDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'canopy-harness-'))

const cacheBytes = 10_000_000

const openFiles = async (): Promise<StorageAdapter> => {
  const root = await newTemporaryDirectory()
  return {
    holdsEveryU64: false,
    holdsFaults: false,
    maxPathBytes: Number.POSITIVE_INFINITY,
    seedAreas: async (areas) => {
      const directory = await mkdtemp(join(root, 'areas-'))
      for (const [location, nodes] of areas) await seedDirectory(join(directory, location), nodes)
      const url = `file:${directory.split('/').map(encodeURIComponent).join('/')}`
      const storageRoot = await toPromise(TE.fromEither(StorageRoot.fromText('/')(url)))
      return {
        ports: cachedListings(fsStorage(storageRoot), changeEvents(storageRoot), cacheBytes),
        change: async (location, path, node) => {
          const changed = join(directory, location, path)
          await rm(changed, { recursive: true, force: true })
          if (node !== undefined) await seedDirectory(dirname(changed), [node])
        },
        close: () => removeDirectory(directory),
      }
    },
    close: () => removeDirectory(root),
  }
}

const openObjects = async (start: () => Promise<ObjectStore>): Promise<StorageAdapter> => {
  const store = await start()
  Object.assign(process.env, store.variables)
  return {
    holdsEveryU64: true,
    holdsFaults: false,
    // A key has at most 1,024 bytes, and the prefix takes some of them.
    maxPathBytes: 1_000,
    seedAreas: await seededAreas(store, s3Storage),
    close: store.stop,
  }
}

const openSqlite = async (): Promise<RegistryAdapter> => {
  const root = await newTemporaryDirectory()
  const newPath = async () => join(await mkdtemp(join(root, 'registry-')), 'registry.sqlite')
  return registryAdapter(
    async () => ({ engine: 'SQLite', path: await newPath() }),
    () => removeDirectory(root),
  )
}

const openPostgresql = async (): Promise<RegistryAdapter> => {
  const { newDatabase, stop } = await startPostgres()
  return registryAdapter(async () => toPromise(TE.fromEither(RegistryUrl.fromString('/', await newDatabase()))), stop)
}

const registryAdapter = (
  newUrl: () => Promise<RegistryUrl.RegistryUrl>,
  close: () => Promise<void>,
): RegistryAdapter => ({
  seedRegistry: async (world) => {
    const url = await newUrl()
    const writer = await toPromise(openRegistryWriter(url))
    try {
      await toPromise(seedRegistry(writer)(world))
    } finally {
      await writer.close()
    }
    const registry = await toPromise(openRegistry(url))
    return { ports: registry, close: registry.close }
  },
  close,
})

const combine = async (
  openStorage: () => Promise<StorageAdapter>,
  openRegistryAdapter: () => Promise<RegistryAdapter>,
): Promise<Adapters> => {
  const storage = await openStorage()
  const registry = await openRegistryAdapter()
  return {
    ...storage,
    ...registry,
    close: async () => {
      await registry.close()
      await storage.close()
    },
  }
}

const findNoEngine = () => E.right(undefined)

export const backends: { readonly [Name in BackendName]: Backend } = {
  memory: { title: 'memory', find: findNoEngine, open: async () => memory },
  sqlite: { title: 'files + SQLite', find: findNoEngine, open: () => combine(openFiles, openSqlite) },
  postgresql: { title: 'files + PostgreSQL', find: findPostgres, open: () => combine(openFiles, openPostgresql) },
  ceph: { title: 'Ceph + SQLite', find: findCeph, open: () => combine(() => openObjects(startCeph), openSqlite) },
  swift: { title: 'Swift + SQLite', find: findSwift, open: () => combine(() => openObjects(startSwift), openSqlite) },
}
