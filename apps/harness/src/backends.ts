import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area, type UserId } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import { openRegistry, RegistryUrl } from '@canopy/registry'
import { openRegistryWriter } from '@canopy/registry/admin'
import { fsStorage, StorageRoot } from '@canopy/storage-fs'
import { findPostgres, startPostgres } from '@canopy/test-support'
import {
  memoryPorts,
  memoryRegistry,
  memoryStorage,
  type Ports,
  removeDirectory,
  type Seeded,
  type SeedRegistry,
  type SeedStorage,
  seedDirectory,
  seedRegistry,
  type World,
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
  readonly seedStorage: SeedStorage
  readonly seedRegistry: SeedRegistry
  readonly seedWorld: (world: World) => Promise<Seeded<Ports>>
  /** Removes everything that was seeded. */
  readonly close: () => Promise<void>
}

export const backendNames = ['memory', 'sqlite', 'postgresql'] as const
export type BackendName = (typeof backendNames)[number]

export const titles: { readonly [Name in BackendName]: string } = {
  memory: 'memory',
  sqlite: 'files + SQLite',
  postgresql: 'files + PostgreSQL',
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

/** Real files below `home`, beside a registry of an engine. Everything below `home` is removed in the end. */
const overFiles = (name: string, home: string, registries: Registries): Subjects => {
  const newDirectory = (): Promise<string> => mkdtemp(join(home, 'areas-'))
  return {
    name,
    holdsEveryU64: false,
    holdsFaults: false,
    seedStorage: async (nodes, otherNodes) => {
      const directory = await newDirectory()
      await seedDirectory(join(directory, '1'), nodes)
      await seedDirectory(join(directory, '2'), otherNodes)
      return { ...twoAreas, ports: await storageAt(directory), close: () => removeDirectory(directory) }
    },
    seedRegistry: seededRegistry(registries),
    seedWorld: async (world) => {
      const directory = await newDirectory()
      for (const { id, area } of world.accounts) await seedDirectory(join(directory, id), area)
      const registry = await seededRegistry(registries)(world)
      return {
        ports: { ...registry.ports, ...(await storageAt(directory)) },
        close: async () => {
          await registry.close()
          await removeDirectory(directory)
        },
      }
    },
    close: async () => {
      await registries.close()
      await removeDirectory(home)
    },
  }
}

const newHome = (): Promise<string> => mkdtemp(join(tmpdir(), 'canopy-harness-'))

const overSqlite = async (): Promise<Subjects> => {
  const home = await newHome()
  const newUrl = async (): Promise<RegistryUrl.RegistryUrl> => ({
    engine: 'SQLite',
    path: join(await mkdtemp(join(home, 'registry-')), 'registry.sqlite'),
  })
  return overFiles(titles.sqlite, home, { newUrl, close: nothing })
}

const overPostgresql = async (): Promise<Subjects> => {
  const { newDatabase, stop } = await startPostgres()
  const newUrl = async () => promised(TE.fromEither(RegistryUrl.fromString('/', await newDatabase())))
  return overFiles(titles.postgresql, await newHome(), { newUrl, close: stop })
}

/** What this machine lacks for a backend. */
export const missingFor = (
  backend: BackendName,
  variables: Readonly<Record<string, string | undefined>>,
): O.Option<string> => (backend === 'postgresql' ? O.getLeft(findPostgres(variables)) : O.none)

export const openBackend = async (backend: BackendName): Promise<Subjects> =>
  ({ memory: async () => memory, sqlite: overSqlite, postgresql: overPostgresql })[backend]()
