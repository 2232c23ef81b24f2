import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BucketCannedACL, S3Client } from '@aws-sdk/client-s3'
import * as E from 'fp-ts/lib/Either.js'
import { type Daemon, startDaemon } from './daemon.js'

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** The same for every store, because a process has one environment. */
export const credentials: Credentials = { accessKeyId: 'canopy:canopy', secretAccessKey: 'secret' }

/** A user without permissions in the buckets. */
export const otherUser: Credentials = { accessKeyId: 'canopy:other', secretAccessKey: 'other-secret' }

export interface StoreAddress {
  /** `http://127.0.0.1:PORT`; buckets are named in the path. */
  readonly endpoint: string
  readonly region: string
  readonly credentials: Credentials
}

export interface CredentialVariables {
  readonly AWS_ACCESS_KEY_ID: string
  readonly AWS_SECRET_ACCESS_KEY: string
}

const variablesOf = ({ accessKeyId, secretAccessKey }: Credentials): CredentialVariables => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
})

export interface ObjectStore extends StoreAddress {
  readonly name: string
  readonly variables: CredentialVariables
  readonly unprivileged: CredentialVariables
  readonly home: string
  /** Returns the name of an empty bucket. */
  readonly newBucket: (acl?: BucketCannedACL) => Promise<string>
  /** Ends its processes and removes its files. */
  readonly stop: () => Promise<void>
}

/** Loads the SDK on demand, because most tests do not need it. */
export const clientOf = async ({ endpoint, region, credentials }: StoreAddress): Promise<S3Client> => {
  const { S3Client } = await import('@aws-sdk/client-s3')
  return new S3Client({ endpoint, region, credentials, forcePathStyle: true })
}

const bucketsOf = (address: StoreAddress): ObjectStore['newBucket'] => {
  let buckets = 0
  return async (acl) => {
    const { CreateBucketCommand } = await import('@aws-sdk/client-s3')
    const client = await clientOf(address)
    buckets += 1
    const Bucket = `canopy-${buckets}`
    await client.send(new CreateBucketCommand({ Bucket, ACL: acl }))
    client.destroy()
    return Bucket
  }
}

interface Ground {
  readonly home: string
  readonly start: typeof startDaemon
}

export const startStore = async (
  name: string,
  found: E.Either<string, void>,
  begin: (ground: Ground) => Promise<StoreAddress>,
): Promise<ObjectStore> => {
  if (E.isLeft(found)) throw new Error(found.left)
  const home = await mkdtemp(join(tmpdir(), 'canopy-store-'))
  const daemons: Daemon[] = []
  const start: Ground['start'] = (...command) => {
    const daemon = startDaemon(...command)
    daemons.push(daemon)
    return daemon
  }
  const removeAtOnce = () => {
    for (const daemon of daemons) daemon.kill()
    rmSync(home, { recursive: true, force: true, maxRetries: 10 })
  }
  process.once('exit', removeAtOnce)
  const stop = async () => {
    await Promise.all(daemons.map((daemon) => daemon.stop()))
    process.off('exit', removeAtOnce)
    await rm(home, { recursive: true, force: true })
  }
  try {
    const address = await begin({ home, start })
    return {
      name,
      ...address,
      variables: variablesOf(address.credentials),
      unprivileged: variablesOf(otherUser),
      home,
      newBucket: bucketsOf(address),
      stop,
    }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}
