import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Area, type UserId } from '@canopy/domain'
import { openRegistry, type RegistryUrl } from '@canopy/registry'
import { openRegistryWriter } from '@canopy/registry/admin'
import { fsStorage, StorageRoot } from '@canopy/storage-fs'
import { type PlantRegistry, type Ports, plantDirectory, plantRegistry, uprootDirectory } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { promised } from './promised.js'
import type { Subjects } from './Subjects.js'

/** Where registries are made. */
export interface Registries {
  /** Where no registry is yet. */
  readonly newUrl: () => Promise<RegistryUrl.RegistryUrl>
  readonly close: () => Promise<void>
}

const rootAt = (directory: string): Promise<StorageRoot.StorageRoot> =>
  promised(TE.fromEither(StorageRoot.fromText('/')(`file:${directory.split('/').map(encodeURIComponent).join('/')}`)))

const plantedRegistry =
  ({ newUrl }: Registries): PlantRegistry =>
  async (world) => {
    const url = await newUrl()
    await promised(
      TE.bracket(
        openRegistryWriter(url),
        (writer) => plantRegistry(writer)(world),
        (writer) => TE.fromTask(writer.close),
      ),
    )
    const registry = await promised(openRegistry(url))
    return { ports: registry, close: registry.close }
  }

/** Real files below `home`, beside a registry of an engine. Everything below `home` is removed in the end. */
export const filesSubjects = (name: string, home: string, registries: Registries): Subjects => {
  const newDirectory = (): Promise<string> => mkdtemp(join(home, 'areas-'))
  return {
    name,
    holdsEveryU64: false,
    holdsFaults: false,
    plantStorage: async (nodes, otherNodes) => {
      const directory = await newDirectory()
      await plantDirectory(join(directory, '1'), nodes)
      await plantDirectory(join(directory, '2'), otherNodes)
      return {
        area: { owner: 1n as UserId.UserId, location: Area.location('1') },
        other: { owner: 2n as UserId.UserId, location: Area.location('2') },
        ports: fsStorage(await rootAt(directory)),
        close: () => uprootDirectory(directory),
      }
    },
    plantRegistry: plantedRegistry(registries),
    plantWorld: async (world) => {
      const directory = await newDirectory()
      for (const { id, area } of world.accounts) await plantDirectory(join(directory, id), area)
      const registry = await plantedRegistry(registries)(world)
      const ports: Ports = { ...registry.ports, ...fsStorage(await rootAt(directory)) }
      return {
        ports,
        close: async () => {
          await registry.close()
          await uprootDirectory(directory)
        },
      }
    },
    close: async () => {
      await registries.close()
      await uprootDirectory(home)
    },
  }
}
