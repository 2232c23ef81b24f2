import { execFile } from 'node:child_process'
import { constants, existsSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, symlink, utimes, writeFile } from 'node:fs/promises'
import { inspect, promisify } from 'node:util'
import {
  type AccessToken,
  type Area,
  type Rule,
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
import { rulesOf, type World, type WorldAccount, type WorldFile, type WorldNode } from './World.js'

const textOf = (cause: unknown): string => {
  if (cause instanceof Error) return cause.message || cause.name
  return typeof cause === 'string' ? cause : inspect(cause, { breakLength: Number.POSITIVE_INFINITY })
}

/** Seeding failed, so the claim was not tested at all. */
export class SeedingFailed extends Error {
  override readonly name = 'SeedingFailed'
  /** `purpose` is a law, or a world of a backend. */
  constructor(purpose: string, cause: unknown) {
    super(`seeding failed for ${purpose}: ${textOf(cause)}`, { cause })
  }
}

/** Wraps exceptions in {@link SeedingFailed}. */
export const seeding = async <A>(purpose: string, seed: () => Promise<A>): Promise<A> => {
  try {
    return await seed()
  } catch (thrown) {
    throw new SeedingFailed(purpose, thrown)
  }
}

const run = promisify(execFile)

/**
 * Returns a short path to an open directory, also for child processes, so that paths below it stay within the limit of the
 * system.
 */
const fdPath = (directory: string, { fd }: FileHandle): string =>
  existsSync('/proc/self/fd') ? `/proc/${process.pid}/fd/${fd}` : directory

/** Creates a sparse file, which needs no disk space. Node cannot set a size above 2^53. */
const resize = async (path: string, size: bigint): Promise<void> => {
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) await run('truncate', ['--no-create', `--size=${size}`, path])
  else if (size > 0n) truncateSync(path, Number(size))
}

/** Seeds by synchronous calls, because the thread pool takes ten times as long. */
const seedFile = async (path: string, { size, last_modified, text = '' }: WorldFile): Promise<void> => {
  writeFileSync(path, text, { flag: 'wx' })
  if (text === '') await resize(path, size)
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
      // After its content, which changes the time.
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
    for (const node of nodes) await seedNode(fdPath(directory, handle), node)
  } finally {
    await handle.close()
  }
}

/**
 * Creates these nodes as real files, links and FIFOs in a directory, which is created if it is missing. Does nothing for
 * `missing`. An undecodable name gets two bytes that are not UTF-8. Locked directories stop everyone but root.
 */
export const seedDirectory = async (directory: string, nodes: WorldAccount['area']): Promise<void> => {
  if (nodes === 'missing') return
  await mkdir(directory, { recursive: true })
  await seedAll(directory, nodes)
}

/** Removes a directory with all nodes, even below locked directories and at paths that are too long for Node's `rm`. */
export const removeDirectory = async (directory: string): Promise<void> => {
  try {
    await run('rm', ['-rf', '--', directory])
  } catch {
    // Locked directories stop their owner too.
    await run('chmod', ['-R', 'u+rwX', '--', directory])
    await run('rm', ['-rf', '--', directory])
  }
}

type Write = TE.TaskEither<unknown, unknown>

/** The part of a registry writer that seeding needs. */
export interface RegistryToSeed {
  readonly accounts: {
    readonly create: (account: {
      readonly id: UserId.UserId
      readonly name: O.Option<string>
      readonly verified: boolean
      readonly location: O.Option<Area.AreaLocation>
    }) => Write
  }
  readonly tokens: {
    readonly add: (token: {
      readonly token: AccessToken.AccessToken
      readonly account: UserId.UserId
      readonly scope: StoragePath.StoragePath
      readonly expires: O.Option<U64.U64>
      readonly label: O.Option<string>
    }) => Write
    readonly revoke: (token: string) => Write
  }
  readonly rules: {
    readonly add: (id: UserId.UserId, rules: ReadonlyArray<Rule>) => Write
  }
  readonly settings: {
    readonly set: (id: UserId.UserId, path: StoragePath.StoragePath, visibility: Visibility.Visibility) => Write
  }
  readonly triggers: {
    readonly create: (trigger: {
      readonly id: TriggerId.TriggerId
      readonly value: TriggerValue.TriggerValue
      readonly expires: O.Option<U64.U64>
    }) => Write
    readonly delete: (id: TriggerId.TriggerId) => Write
  }
}

/** At second 0, or never. */
const expiry = (state: string): O.Option<U64.U64> => (state === 'expired' ? O.some(U64.zero) : O.none)

/** Seeds a malformed value too, because another program may have written it. */
const triggerValue = (json: string): TriggerValue.TriggerValue =>
  E.getOrElse((): TriggerValue.TriggerValue => ({ type: '', json }))(TriggerValue.fromJson(json))

const writesOf = ({ accounts, tokens, settings, rules }: RegistryToSeed, world: WorldAccount): ReadonlyArray<Write> => {
  const { verified, id: decimal, tokens: issued, settings: made } = world
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
    rules.add(account, rulesOf(world)),
    ...made.map(({ path, visibility }) => settings.set(account, path as StoragePath.StoragePath, visibility)),
  ]
}

/** Writes a world into a registry, without the nodes of its areas. `left` is the first failure. */
export const seedRegistry =
  (writer: RegistryToSeed) =>
  (world: World): TE.TaskEither<unknown, void> =>
    pipe(
      [
        ...world.accounts.flatMap((account) => writesOf(writer, account)),
        ...world.triggers.flatMap(({ id: text, value, state }) => {
          const id = text as TriggerId.TriggerId
          const created = { id, value: triggerValue(value), expires: expiry(state) }
          return [writer.triggers.create(created), ...(state === 'deleted' ? [writer.triggers.delete(id)] : [])]
        }),
      ],
      // In sequence, because writers take turns anyway.
      TE.sequenceSeqArray,
      TE.map(constVoid),
    )
