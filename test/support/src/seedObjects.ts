import type { S3Client } from '@aws-sdk/client-s3'
import type { WorldAccount, WorldFile, WorldNode } from '@canopy/testkit'
import { clientOf, type StoreAddress } from './objectStore.js'

/** The seeded nodes, and the interval of their times in Unix seconds. */
export interface SeededObjects {
  readonly nodes: WorldAccount['area']
  readonly from: bigint
  readonly to: bigint
}

/** Number of bytes that represent a file of this size. */
export const storedSize = (size: bigint): bigint => size % 1000n

const bytesOf = ({ size, text }: WorldFile): Buffer =>
  text === undefined ? Buffer.alloc(Number(storedSize(size))) : Buffer.from(text)

interface StoredObject {
  readonly Key: string
  readonly Body: Buffer
}

/** In bytes of UTF-8. */
const longestKey = 1024

/** Some directories have a marker, empty ones always. */
const objectsOf = (directory: string, nodes: ReadonlyArray<WorldNode>): ReadonlyArray<StoredObject> => {
  const stored = nodes.flatMap((node): ReadonlyArray<ReadonlyArray<StoredObject>> => {
    const Key = `${directory}${node.name}`
    if (Buffer.byteLength(Key) >= longestKey) return []
    if (node.type === 'file') return [[{ Key, Body: bytesOf(node) }]]
    return node.type === 'dir' ? [objectsOf(`${Key}/`, node.content)] : []
  })
  return [...(stored.length % 4 === 0 ? [{ Key: directory, Body: Buffer.alloc(0) }] : []), ...stored.flat()]
}

const atOnce = 32

const put = async (client: S3Client, Bucket: string, objects: ReadonlyArray<StoredObject>): Promise<void> => {
  const { PutObjectCommand } = await import('@aws-sdk/client-s3')
  const remaining = objects.values()
  const putRemaining = async (): Promise<void> => {
    for (const object of remaining) await client.send(new PutObjectCommand({ Bucket, ...object }))
  }
  await Promise.all(Array.from({ length: atOnce }, putRemaining))
}

const now = (): bigint => BigInt(Math.floor(Date.now() / 1000))

/** Stores nodes as objects below a prefix such as `areas/7/`, without links, FIFOs, invalid names and long keys. */
export const seedObjects = async (
  store: StoreAddress,
  bucket: string,
  prefix: string,
  nodes: WorldAccount['area'],
): Promise<SeededObjects> => {
  const from = now()
  if (nodes !== 'missing') {
    const client = await clientOf(store)
    await put(client, bucket, objectsOf(prefix, nodes))
    client.destroy()
  }
  return { nodes, from, to: now() }
}

/** Removes an object, or a directory. */
export const removeObject = async (store: StoreAddress, Bucket: string, key: string): Promise<void> => {
  const { DeleteObjectCommand, ListObjectsV2Command } = await import('@aws-sdk/client-s3')
  const client = await clientOf(store)
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: `${key}/` }))
  for (const Key of [key, ...Contents.flatMap((object) => object.Key ?? [])])
    await client.send(new DeleteObjectCommand({ Bucket, Key }))
  client.destroy()
}
