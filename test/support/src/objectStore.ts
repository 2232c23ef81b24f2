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

/** The same of every store, since a process has one environment. An account and a user of it, as Swift wants. */
export const credentials: Credentials = { accessKeyId: 'canopy:canopy', secretAccessKey: 'secret' }

/** Of a second user, who may do nothing in the buckets of the first. */
export const otherUser: Credentials = { accessKeyId: 'canopy:other', secretAccessKey: 'other-secret' }

/** Where objects are, and who may have them. */
export interface StoreAddress {
  /** `http://127.0.0.1:PORT`; buckets are named in the path. */
  readonly endpoint: string
  readonly region: string
  readonly credentials: Credentials
}

/** Of the environment of a process that opens a bucket: where AWS's tools look for credentials first. */
export interface CredentialVariables {
  readonly AWS_ACCESS_KEY_ID: string
  readonly AWS_SECRET_ACCESS_KEY: string
}

const variablesOf = ({ accessKeyId, secretAccessKey }: Credentials): CredentialVariables => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
})

/** A real object store that was started for tests. */
export interface ObjectStore extends StoreAddress {
  /** How reports call it. */
  readonly name: string
  readonly variables: CredentialVariables
  /** Of a user who may do nothing in the buckets. */
  readonly unprivileged: CredentialVariables
  /** The directory that holds everything it writes. */
  readonly home: string
  /** Makes an empty bucket and returns its name. Only its user may use it, unless `acl` says otherwise. */
  readonly newBucket: (acl?: BucketCannedACL) => Promise<string>
  /** Ends its processes, and removes everything it has written. */
  readonly stop: () => Promise<void>
}

/** The SDK's own client. It is loaded now: most tests need none. */
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

/** What a store is started with. */
interface Ground {
  /** A directory of its own. */
  readonly home: string
  readonly start: typeof startDaemon
}

/** Starts a store in a temporary directory. When it does not start, nothing is left behind either. */
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
