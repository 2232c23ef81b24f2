import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BucketCannedACL, S3Client } from '@aws-sdk/client-s3'
import * as E from 'fp-ts/lib/Either.js'
import { type Daemon, startDaemon } from './daemon.js'

export interface CredentialVariables {
  readonly AWS_ACCESS_KEY_ID: string
  readonly AWS_SECRET_ACCESS_KEY: string
}

/** The same for every store, because a process has one environment. */
export const variables: CredentialVariables = {
  AWS_ACCESS_KEY_ID: 'canopy:canopy',
  AWS_SECRET_ACCESS_KEY: 'secret',
}

/** Of a user without permissions in the buckets. */
export const otherVariables: CredentialVariables = {
  AWS_ACCESS_KEY_ID: 'canopy:other',
  AWS_SECRET_ACCESS_KEY: 'other-secret',
}

export interface StoreAddress {
  /** `http://127.0.0.1:PORT`; buckets are named in the path. */
  readonly endpoint: string
  readonly region: string
}

export type ObjectStore = Awaited<ReturnType<typeof startStore>>

/** Loads the SDK on demand, because most tests do not need it. */
export const clientOf = async ({ endpoint, region }: StoreAddress): Promise<S3Client> => {
  const { S3Client } = await import('@aws-sdk/client-s3')
  const credentials = { accessKeyId: variables.AWS_ACCESS_KEY_ID, secretAccessKey: variables.AWS_SECRET_ACCESS_KEY }
  return new S3Client({ endpoint, region, credentials, forcePathStyle: true })
}

export const startStore = async (
  name: string,
  found: E.Either<string, void>,
  /** Returns the endpoint. */
  begin: (ground: { readonly home: string; readonly start: typeof startDaemon }) => Promise<string>,
) => {
  if (E.isLeft(found)) throw new Error(found.left)
  const home = await mkdtemp(join(tmpdir(), 'canopy-store-'))
  const daemons: Daemon[] = []
  const start: typeof startDaemon = (...command) => {
    const daemon = startDaemon(...command)
    daemons.push(daemon)
    return daemon
  }
  const removeAtOnce = () => {
    for (const daemon of daemons) daemon.kill()
    rmSync(home, { recursive: true, force: true, maxRetries: 10 })
  }
  process.once('exit', removeAtOnce)
  /** Ends its processes and removes its files. */
  const stop = async () => {
    await Promise.all(daemons.map((daemon) => daemon.stop()))
    process.off('exit', removeAtOnce)
    await rm(home, { recursive: true, force: true })
  }
  try {
    const address = { endpoint: await begin({ home, start }), region: 'us-east-1' }
    let buckets = 0
    /** Returns the name of an empty bucket. */
    const newBucket = async (ACL?: BucketCannedACL) => {
      const { CreateBucketCommand } = await import('@aws-sdk/client-s3')
      const client = await clientOf(address)
      buckets += 1
      const Bucket = `canopy-${buckets}`
      await client.send(new CreateBucketCommand({ Bucket, ACL }))
      client.destroy()
      return Bucket
    }
    return { name, ...address, variables, unprivileged: otherVariables, home, newBucket, stop }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}
