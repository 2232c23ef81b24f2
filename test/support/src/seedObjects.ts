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
  readonly key: string
  readonly bytes: Buffer
}

/** In bytes of UTF-8. */
const longestKey = 1024

const storable = (directory: string, nodes: ReadonlyArray<WorldNode>) =>
  nodes.flatMap((node) => {
    const key = `${directory}${node.name}`
    if (node.type !== 'file' && node.type !== 'dir') return []
    return Buffer.byteLength(key) < longestKey ? [{ key, node }] : []
  })

/** Some directories have a marker, empty ones always. */
const objectsOf = (directory: string, nodes: ReadonlyArray<WorldNode>): ReadonlyArray<StoredObject> => {
  const stored = storable(directory, nodes)
  return [
    ...(stored.length % 4 === 0 ? [{ key: directory, bytes: Buffer.alloc(0) }] : []),
    ...stored.flatMap(({ key, node }) =>
      node.type === 'file' ? [{ key, bytes: bytesOf(node) }] : objectsOf(`${key}/`, node.content),
    ),
  ]
}

const atOnce = 32

const put = async (client: S3Client, Bucket: string, objects: ReadonlyArray<StoredObject>): Promise<void> => {
  const { PutObjectCommand } = await import('@aws-sdk/client-s3')
  const remaining = objects.values()
  const putRemaining = async (): Promise<void> => {
    for (const { key, bytes } of remaining) await client.send(new PutObjectCommand({ Bucket, Key: key, Body: bytes }))
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

export const removeObject = async (store: StoreAddress, Bucket: string, Key: string): Promise<void> => {
  const { DeleteObjectCommand } = await import('@aws-sdk/client-s3')
  const client = await clientOf(store)
  await client.send(new DeleteObjectCommand({ Bucket, Key }))
  client.destroy()
}

export const removeObjects = async (store: StoreAddress, Bucket: string, key: string): Promise<void> => {
  const { DeleteObjectCommand, ListObjectsV2Command } = await import('@aws-sdk/client-s3')
  const client = await clientOf(store)
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: `${key}/` }))
  for (const Key of [key, ...Contents.flatMap((object) => object.Key ?? [])])
    await client.send(new DeleteObjectCommand({ Bucket, Key }))
  client.destroy()
}
