import { execFile } from 'node:child_process'
import { constants, existsSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, symlink, utimes, writeFile } from 'node:fs/promises'
import { inspect, promisify } from 'node:util'
import {
  type AccessToken,
  type Area,
  type StoragePath,
  type TriggerId,
  TriggerValue,
  U64,
  type UserId,
  type Visibility,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { World, WorldAccount, WorldFile, WorldNode } from './World.js'

const textOf = (cause: unknown): string => {
  if (cause instanceof Error) return cause.message || cause.name
  return typeof cause === 'string' ? cause : inspect(cause, { breakLength: Number.POSITIVE_INFINITY })
}

/** The function that seeds a backend failed: what was to be asked is neither so nor violated. */
export class SeedingFailed extends Error {
  override readonly name = 'SeedingFailed'
  /** What it was seeded for: a law, or a world of a backend. */
  constructor(purpose: string, cause: unknown) {
    super(`seeding failed for ${purpose}: ${textOf(cause)}`, { cause })
  }
}

/** What was seeded. Throws {@link SeedingFailed} where seeding throws or rejects. */
export const seeding = async <A>(purpose: string, seed: () => Promise<A>): Promise<A> => {
  try {
    return await seed()
  } catch (thrown) {
    throw new SeedingFailed(purpose, thrown)
  }
}

const run = promisify(execFile)

/** A short way to an open directory, so that no path below it is too long. Good for our child processes too. */
const reachedBy = (directory: string, { fd }: FileHandle): string =>
  existsSync('/proc/self/fd') ? `/proc/${process.pid}/fd/${fd}` : directory

/** Sparse: takes no room, whatever its size. Node cannot set a size above 2^53 itself. */
const resize = async (path: string, size: bigint): Promise<void> => {
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) await run('truncate', ['--no-create', `--size=${size}`, path])
  else if (size > 0n) truncateSync(path, Number(size))
}

/** Not through the thread pool, which takes ten times as long. */
const seedFile = async (path: string, { size, last_modified }: WorldFile): Promise<void> => {
  writeFileSync(path, '', { flag: 'wx' })
  await resize(path, size)
  utimesSync(path, Number(last_modified), Number(last_modified))
}

const seedNode = async (directory: string, node: WorldNode): Promise<void> => {
  const path = `${directory}/${node.name}`
  switch (node.type) {
    case 'file':
      return seedFile(path, node)
    case 'dir':
      await mkdir(path)
      await seedAll(path, node.content)
      // Last, since seeding what is in it moves its time.
      await utimes(path, Number(node.last_modified), Number(node.last_modified))
      if (node.locked === true) await chmod(path, 0)
      return
    case 'link':
      return symlink(node.target ?? 'missing', path)
    case 'fifo':
      await run('mkfifo', ['--', path])
      return
    case 'dead':
      // Needs a file system whose server is gone.
      return
    case 'undecodable':
      return writeFile(Buffer.concat([Buffer.from(path), Buffer.from([0xff, 0xfe])]), '', { flag: 'wx' })
  }
}

const seedAll = async (directory: string, nodes: ReadonlyArray<WorldNode>): Promise<void> => {
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    for (const node of nodes) await seedNode(reachedBy(directory, handle), node)
  } finally {
    await handle.close()
  }
}

/**
 * Makes a directory hold these nodes as real files, links and FIFOs; it is made if need be. Does nothing for
 * `missing`. An undecodable name gets two bytes that are not UTF-8; what is locked stops everyone but root.
 */
export const seedDirectory = async (directory: string, nodes: WorldAccount['area']): Promise<void> => {
  if (nodes === 'missing') return
  await mkdir(directory, { recursive: true })
  await seedAll(directory, nodes)
}

/** Removes a directory with all it holds, also what lies at paths too long for Node's own `rm`, and locked directories. */
export const removeDirectory = async (directory: string): Promise<void> => {
  try {
    await run('rm', ['-rf', '--', directory])
  } catch {
    // What is locked stops its owner too.
    await run('chmod', ['-R', 'u+rwX', '--', directory])
    await run('rm', ['-rf', '--', directory])
  }
}

type Writing = TE.TaskEither<unknown, unknown>

/** As much of a registry's writing side as seeding takes. */
export interface RegistryToSeed {
  readonly accounts: {
    readonly create: (account: {
      readonly id: UserId.UserId
      readonly name: O.Option<string>
      readonly verified: boolean
      readonly location: O.Option<Area.AreaLocation>
    }) => Writing
  }
  readonly tokens: {
    readonly add: (token: {
      readonly token: AccessToken.AccessToken
      readonly account: UserId.UserId
      readonly scope: StoragePath.StoragePath
      readonly expires: O.Option<U64.U64>
      readonly label: O.Option<string>
    }) => Writing
    readonly revoke: (token: string) => Writing
  }
  readonly settings: {
    readonly set: (id: UserId.UserId, path: StoragePath.StoragePath, visibility: Visibility.Visibility) => Writing
  }
  readonly triggers: {
    readonly create: (trigger: {
      readonly id: TriggerId.TriggerId
      readonly value: TriggerValue.TriggerValue
      readonly expires: O.Option<U64.U64>
    }) => Writing
    readonly delete: (id: TriggerId.TriggerId) => Writing
  }
}

/** In the first second of 1970, or never. */
const expiry = (state: string): O.Option<U64.U64> => (state === 'expired' ? O.some(U64.zero) : O.none)

/** A value that is none is seeded all the same: a registry may hold what another program broke. */
const triggerValue = (json: string): TriggerValue.TriggerValue =>
  E.getOrElse((): TriggerValue.TriggerValue => ({ type: '', json }))(TriggerValue.fromJson(json))

const writingsOf = (
  { accounts, tokens, settings }: RegistryToSeed,
  { verified, id: decimal, tokens: issued, settings: made }: WorldAccount,
): ReadonlyArray<Writing> => {
  const account = BigInt(decimal) as UserId.UserId
  return [
    accounts.create({ id: account, name: O.none, verified, location: O.none }),
    ...issued.flatMap(({ token, scope, state }) => [
      tokens.add({
        token: token as AccessToken.AccessToken,
        account,
        scope: scope as StoragePath.StoragePath,
        expires: expiry(state),
        label: O.none,
      }),
      ...(state === 'revoked' ? [tokens.revoke(token)] : []),
    ]),
    ...made.map(({ path, visibility }) => settings.set(account, path as StoragePath.StoragePath, visibility)),
  ]
}

/** Writes a world into a registry: all but the nodes of its areas, which it does not keep. `left` is the first failure. */
export const seedRegistry =
  (writer: RegistryToSeed) =>
  (world: World): TE.TaskEither<unknown, void> =>
    pipe(
      [
        ...world.accounts.flatMap((account) => writingsOf(writer, account)),
        ...world.triggers.flatMap(({ id: text, value, state }) => {
          const id = text as TriggerId.TriggerId
          const created = { id, value: triggerValue(value), expires: expiry(state) }
          return [writer.triggers.create(created), ...(state === 'deleted' ? [writer.triggers.delete(id)] : [])]
        }),
      ],
      // One after the other: writers take turns anyway.
      TE.sequenceSeqArray,
      TE.map(constVoid),
    )
