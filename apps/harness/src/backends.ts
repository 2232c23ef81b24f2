import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area, type UserId } from '@canopy/domain'
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
import * as TE from 'fp-ts/lib/TaskEither.js'
import { promised } from './Command.js'

type Areas = ReadonlyArray<readonly [location: string, nodes: WorldAccount['area']]>

/** Adapters under test, and how to make what they are asked about. */
export interface Subjects {
  /** False when sizes above 2^44 or times above 2^33 cannot be seeded. */
  readonly holdsEveryU64: boolean
  /** Whether what is locked or dead can be seeded. */
  readonly holdsFaults: boolean
  /** What lies at a longer path than this many bytes cannot be seeded. */
  readonly longestPath: number
  readonly seedAreas: (areas: Areas) => Promise<Seeded<StoragePorts>>
  readonly seedRegistry: SeedRegistry
  /** Removes everything that was seeded. */
  readonly close: () => Promise<void>
}

/** Where areas are made, and where registries are. */
type Storages = Omit<Subjects, 'seedRegistry'>
type Registries = Pick<Subjects, 'seedRegistry' | 'close'>

export const seedStorage =
  ({ seedAreas }: Subjects): SeedStorage =>
  async (nodes, otherNodes) => ({
    area: { owner: 1n as UserId.UserId, location: Area.location('1') },
    other: { owner: 2n as UserId.UserId, location: Area.location('2') },
    ...(await seedAreas([
      ['1', nodes],
      ['2', otherNodes],
    ])),
  })

export const seedWorld =
  ({ seedAreas, seedRegistry }: Subjects) =>
  async (world: World): Promise<Seeded<Ports>> => {
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

const nothing = async (): Promise<void> => undefined

/** The reference implementation. */
const memory: Subjects = {
  holdsEveryU64: true,
  holdsFaults: true,
  longestPath: Number.POSITIVE_INFINITY,
  seedAreas: async (areas) => {
    const known = new Map(areas)
    return { ports: memoryStorage(({ location }) => known.get(location) ?? 'missing'), close: nothing }
  },
  seedRegistry: async (world) => ({ ports: memoryRegistry(world), close: nothing }),
  close: nothing,
}

const newHome = (): Promise<string> => mkdtemp(join(tmpdir(), 'canopy-harness-'))

/** Real files. */
const files = async (): Promise<Storages> => {
  const home = await newHome()
  return {
    holdsEveryU64: false,
    holdsFaults: false,
    longestPath: Number.POSITIVE_INFINITY,
    seedAreas: async (areas) => {
      const directory = await mkdtemp(join(home, 'areas-'))
      for (const [location, nodes] of areas) await seedDirectory(join(directory, location), nodes)
      const url = `file:${directory.split('/').map(encodeURIComponent).join('/')}`
      const ports = fsStorage(await promised(TE.fromEither(StorageRoot.fromText('/')(url))))
      return { ports, close: () => removeDirectory(directory) }
    },
    close: () => removeDirectory(home),
  }
}

const objects = (start: () => Promise<ObjectStore>) => async (): Promise<Storages> => {
  const store = await start()
  Object.assign(process.env, store.variables)
  return {
    holdsEveryU64: true,
    holdsFaults: false,
    // A key has 1,024, of which these leave some to the prefix.
    longestPath: 1_000,
    seedAreas: await seededAreas(store, s3Storage),
    close: store.stop,
  }
}

const registries = (newUrl: () => Promise<RegistryUrl.RegistryUrl>, close: () => Promise<void>): Registries => ({
  seedRegistry: async (world) => {
    const url = await newUrl()
    const writer = await promised(openRegistryWriter(url))
    try {
      await promised(seedRegistry(writer)(world))
    } finally {
      await writer.close()
    }
    const registry = await promised(openRegistry(url))
    return { ports: registry, close: registry.close }
  },
  close,
})

const sqlite = async (): Promise<Registries> => {
  const home = await newHome()
  const newPath = async () => join(await mkdtemp(join(home, 'registry-')), 'registry.sqlite')
  return registries(
    async () => ({ engine: 'SQLite', path: await newPath() }),
    () => removeDirectory(home),
  )
}

const postgresql = async (): Promise<Registries> => {
  const { newDatabase, stop } = await startPostgres()
  return registries(async () => promised(TE.fromEither(RegistryUrl.fromString('/', await newDatabase()))), stop)
}

const over = async (
  newStorages: () => Promise<Storages>,
  newRegistries: () => Promise<Registries>,
): Promise<Subjects> => {
  const [storages, registries] = [await newStorages(), await newRegistries()]
  return {
    ...storages,
    ...registries,
    close: async () => {
      await registries.close()
      await storages.close()
    },
  }
}

interface Backend {
  /** How reports call it. */
  readonly title: string
  /** `left` says what this machine lacks for it. */
  readonly find: (variables: Readonly<Record<string, string | undefined>>) => E.Either<string, unknown>
  readonly open: () => Promise<Subjects>
}

const always = () => E.right(undefined)

export const backendNames = ['memory', 'sqlite', 'postgresql', 'ceph', 'swift'] as const
export type BackendName = (typeof backendNames)[number]

export const backends: { readonly [Name in BackendName]: Backend } = {
  memory: { title: 'memory', find: always, open: async () => memory },
  sqlite: { title: 'files + SQLite', find: always, open: () => over(files, sqlite) },
  postgresql: { title: 'files + PostgreSQL', find: findPostgres, open: () => over(files, postgresql) },
  ceph: { title: 'Ceph + SQLite', find: findCeph, open: () => over(objects(startCeph), sqlite) },
  swift: { title: 'Swift + SQLite', find: findSwift, open: () => over(objects(startSwift), sqlite) },
}
