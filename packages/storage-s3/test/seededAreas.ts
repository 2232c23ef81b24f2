import { Area, type UserId } from '@canopy/domain'
import { asSeeded, type ObjectStore, seedObjects } from '@canopy/test-support'
import {
  memoryRegistry,
  type Ports,
  type Seeded,
  type SeedStorage,
  type World,
  type WorldAccount,
} from '@canopy/testkit'
import type { S3Url } from '../src/S3Url.js'
import { s3Storage } from '../src/s3Storage.js'

/** Makes worlds in one bucket of a store, each below a prefix of its own. */
export interface SeededAreas {
  readonly seedStorage: SeedStorage
  readonly seedWorld: (world: World) => Promise<Seeded<Ports>>
}

const areaOf = (owner: bigint): Area.Area => ({
  owner: owner as UserId.UserId,
  location: Area.location(`${owner}`),
})

type Areas = ReadonlyArray<readonly [location: string, nodes: WorldAccount['area']]>

export const seededAreas = async (store: ObjectStore): Promise<SeededAreas> => {
  const bucket = await store.newBucket()
  let worlds = 0
  const seed = async (areas: Areas) => {
    worlds += 1
    const prefix = `worlds/${worlds}/`
    const url: S3Url = { bucket, prefix, endpoint: store.endpoint, region: store.region, pathStyle: true }
    const seeded = areas.map(
      async ([location, nodes]) =>
        [location, await seedObjects(store, bucket, `${prefix}${location}/`, nodes)] as const,
    )
    const storage = await s3Storage(url)
    return { ports: asSeeded(new Map(await Promise.all(seeded)), storage), close: async () => storage.close() }
  }
  return {
    seedStorage: async (nodes, others) => ({
      ...(await seed([
        ['1', nodes],
        ['2', others],
      ])),
      area: areaOf(1n),
      other: areaOf(2n),
    }),
    seedWorld: async (world) => {
      const { ports, close } = await seed(world.accounts.map(({ id, area }) => [id, area]))
      return { ports: { ...memoryRegistry(world), ...ports }, close }
    },
  }
}
