import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area, type UserId } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import { openRegistry, RegistryUrl } from '@canopy/registry'
import { openRegistryWriter } from '@canopy/registry/admin'
import { fsStorage, StorageRoot } from '@canopy/storage-fs'
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
  memoryPorts,
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
} from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** Adapters under test, and how to make what they are asked about. */
export interface Subjects {
  readonly name: string
  /** False when sizes above 2^44 or times above 2^33 cannot be seeded. */
  readonly holdsEveryU64: boolean
  /** Whether what is locked or dead can be seeded. */
  readonly holdsFaults: boolean
  /** What lies at a longer path than this many bytes cannot be seeded. */
  readonly longestPath: number
  readonly seedStorage: SeedStorage
  readonly seedRegistry: SeedRegistry
  readonly seedWorld: (world: World) => Promise<Seeded<Ports>>
  /** Removes everything that was seeded. */
  readonly close: () => Promise<void>
}

export const backendNames = ['memory', 'sqlite', 'postgresql', 'ceph', 'swift'] as const
export type BackendName = (typeof backendNames)[number]

export const titles: { readonly [Name in BackendName]: string } = {
  memory: 'memory',
  sqlite: 'files + SQLite',
  postgresql: 'files + PostgreSQL',
  ceph: 'Ceph + SQLite',
  swift: 'Swift + SQLite',
}

const nothing = async (): Promise<void> => undefined

const twoAreas = {
  area: { owner: 1n as UserId.UserId, location: Area.location('1') },
  other: { owner: 2n as UserId.UserId, location: Area.location('2') },
}

/** The reference implementation. */
const memory: Subjects = {
  name: titles.memory,
  holdsEveryU64: true,
  holdsFaults: true,
  longestPath: Number.POSITIVE_INFINITY,
  seedStorage: async (nodes, otherNodes) => ({
    ...twoAreas,
    ports: memoryStorage(({ location }) => (location === '1' ? nodes : otherNodes)),
    close: nothing,
  }),
  seedRegistry: async (world) => ({ ports: memoryRegistry(world), close: nothing }),
  seedWorld: async (world) => ({ ports: memoryPorts(world), close: nothing }),
  close: nothing,
}

/** A check that cannot be prepared rejects: the one that runs it reports so. */
const promised = async <A>(task: TE.TaskEither<unknown, A>): Promise<A> => {
  const outcome = await task()
  if (E.isLeft(outcome)) throw new Error(causeOf(outcome.left))
  return outcome.right
}

/** Where registries are made. */
interface Registries {
  /** Where no registry is yet. */
  readonly newUrl: () => Promise<RegistryUrl.RegistryUrl>
  readonly close: () => Promise<void>
}

const storageAt = async (directory: string) => {
  const url = `file:${directory.split('/').map(encodeURIComponent).join('/')}`
  return fsStorage(await promised(TE.fromEither(StorageRoot.fromText('/')(url))))
}

const seededRegistry =
  ({ newUrl }: Registries): SeedRegistry =>
  async (world) => {
    const url = await newUrl()
    await promised(
      TE.bracket(
        openRegistryWriter(url),
        (writer) => seedRegistry(writer)(world),
        (writer) => TE.fromTask(writer.close),
      ),
    )
    const registry = await promised(openRegistry(url))
    return { ports: registry, close: registry.close }
  }

/** Where areas are made. */
interface Storages extends Pick<Subjects, 'holdsEveryU64' | 'longestPath'> {
  readonly seed: (
    areas: ReadonlyArray<readonly [location: string, nodes: WorldAccount['area']]>,
  ) => Promise<Seeded<StoragePorts>>
  readonly close: () => Promise<void>
}

/** Real files. Everything below `home` is removed in the end. */
const filesBelow = (home: string): Storages => ({
  holdsEveryU64: false,
  longestPath: Number.POSITIVE_INFINITY,
  seed: async (areas) => {
    const directory = await mkdtemp(join(home, 'areas-'))
    for (const [location, nodes] of areas) await seedDirectory(join(directory, location), nodes)
    return { ports: await storageAt(directory), close: () => removeDirectory(directory) }
  },
  close: () => removeDirectory(home),
})

const objectsIn = async (store: ObjectStore): Promise<Storages> => {
  Object.assign(process.env, store.variables)
  return {
    holdsEveryU64: true,
    // A key has 1,024, of which these leave some to the prefix.
    longestPath: 1_000,
    seed: await seededAreas(store, s3Storage),
    close: store.stop,
  }
}

const subjectsOver = (name: string, storages: Storages, registries: Registries): Subjects => ({
  name,
  holdsEveryU64: storages.holdsEveryU64,
  holdsFaults: false,
  longestPath: storages.longestPath,
  seedStorage: async (nodes, otherNodes) => ({
    ...twoAreas,
    ...(await storages.seed([
      ['1', nodes],
      ['2', otherNodes],
    ])),
  }),
  seedRegistry: seededRegistry(registries),
  seedWorld: async (world) => {
    const areas = await storages.seed(world.accounts.map(({ id, area }) => [id, area]))
    const registry = await seededRegistry(registries)(world)
    return {
      ports: { ...registry.ports, ...areas.ports },
      close: async () => {
        await registry.close()
        await areas.close()
      },
    }
  },
  close: async () => {
    await registries.close()
    await storages.close()
  },
})

const newHome = (): Promise<string> => mkdtemp(join(tmpdir(), 'canopy-harness-'))

/** Removes what is below `home` in the end. */
const sqliteBelow = (home: string): Registries => ({
  newUrl: async () => ({ engine: 'SQLite', path: join(await mkdtemp(join(home, 'registry-')), 'registry.sqlite') }),
  close: () => removeDirectory(home),
})

const overSqlite = async (): Promise<Subjects> =>
  subjectsOver(titles.sqlite, filesBelow(await newHome()), sqliteBelow(await newHome()))

const overPostgresql = async (): Promise<Subjects> => {
  const { newDatabase, stop } = await startPostgres()
  const newUrl = async () => promised(TE.fromEither(RegistryUrl.fromString('/', await newDatabase())))
  return subjectsOver(titles.postgresql, filesBelow(await newHome()), { newUrl, close: stop })
}

const overStore = (name: string, start: () => Promise<ObjectStore>) => async (): Promise<Subjects> =>
  subjectsOver(name, await objectsIn(await start()), sqliteBelow(await newHome()))

/** What this machine lacks for a backend. */
export const missingFor = (
  backend: BackendName,
  variables: Readonly<Record<string, string | undefined>>,
): O.Option<string> => {
  const found: { readonly [Name in BackendName]?: E.Either<string, unknown> } = {
    postgresql: findPostgres(variables),
    ceph: findCeph(variables),
    swift: findSwift(variables),
  }
  return O.getLeft(found[backend] ?? E.right(undefined))
}

const opening: { readonly [Name in BackendName]: () => Promise<Subjects> } = {
  memory: async () => memory,
  sqlite: overSqlite,
  postgresql: overPostgresql,
  ceph: overStore(titles.ceph, startCeph),
  swift: overStore(titles.swift, startSwift),
}

export const openBackend = (backend: BackendName): Promise<Subjects> => opening[backend]()
