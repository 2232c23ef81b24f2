import type { ChangingStorage, FilePorts, Seeded, StoragePorts, WorldAccount } from '@canopy/testkit'
import { asSeeded } from './asSeeded.js'
import type { ObjectStore, StoreAddress } from './objectStore.js'
import { removeObject, seedObjects } from './seedObjects.js'

type ObjectUrl = StoreAddress & { readonly bucket: string; readonly prefix: string; readonly pathStyle: boolean }

type Closable = StoragePorts & FilePorts & { readonly close: () => void }

interface SeededAreas extends Seeded<StoragePorts & FilePorts> {
  readonly change: (location: string, ...changed: Parameters<ChangingStorage['change']>) => Promise<void>
}

type Areas = ReadonlyArray<readonly [location: string, nodes: WorldAccount['area']]>

/** Seeds areas in a new bucket, each time below a new prefix, and opens an adapter that returns the seeded sizes and times. */
export const seededAreas = async (
  store: ObjectStore,
  open: (url: ObjectUrl) => Promise<Closable>,
): Promise<(areas: Areas) => Promise<SeededAreas>> => {
  const { endpoint, region, newBucket } = store
  const bucket = await newBucket()
  let seedings = 0
  return async (areas) => {
    seedings += 1
    const url: ObjectUrl = { bucket, prefix: `seeded/${seedings}/`, endpoint, region, pathStyle: true }
    const seeded = areas.map(
      async ([location, nodes]) =>
        [location, await seedObjects(store, bucket, `${url.prefix}${location}/`, nodes)] as const,
    )
    const known = new Map(await Promise.all(seeded))
    const storage = await open(url)
    return {
      ports: asSeeded(known, storage),
      change: async (location, path, node) => {
        const key = `${url.prefix}${location}${path}`
        await removeObject(store, bucket, key)
        if (node !== undefined) await seedObjects(store, bucket, key.slice(0, key.lastIndexOf('/') + 1), [node])
      },
      close: async () => storage.close(),
    }
  }
}
