import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { setImmediate as tick } from 'node:timers/promises'
import { Failure } from '@canopy/domain'
import { endOfTick } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Registry } from './Registry.js'
import type { Unavailable } from './Unavailable.js'

/** How long a port call trusts the last look at the files. */
const lookMs = 1_000

/** `undefined` for a missing file. */
type Stats = BigIntStats | undefined
type Files = Readonly<Record<'main' | 'wal' | 'shm', Stats>>

interface Opened {
  readonly result: E.Either<Unavailable, Registry>
  /**
   * The files as they were before opening, so that the next look notices one replaced in the meantime; a `-wal` or `-shm` that
   * did not exist yet is taken from afterwards.
   */
  readonly files: Files
}

/**
 * A registry that reopens when its file, or SQLite's `-wal` or `-shm` beside it, is replaced: through the old files it would
 * never see new changes. A port call never uses files that were replaced more than a second ago: it reopens them, or fails with
 * `external`. Reopening discards the caches of the old registry.
 */
export const followFile =
  (path: string, open: TE.TaskEither<Unavailable, Registry>): TE.TaskEither<Unavailable, Registry> =>
  async () => {
    const opened = await openAt(path, open)
    return E.isLeft(opened.result) ? opened.result : E.right(new FollowedFile(path, open, opened))
  }

class FollowedFile implements Registry {
  readonly #path: string
  readonly #open: TE.TaskEither<Unavailable, Registry>
  #opened: Opened
  #nextLook = performance.now() + lookMs
  #problem: string | undefined
  #reopening: Promise<void> | undefined
  #isClosed = false

  constructor(path: string, open: TE.TaskEither<Unavailable, Registry>, opened: Opened) {
    this.#path = path
    this.#open = open
    this.#opened = opened
  }

  readonly areaOfToken: Registry['areaOfToken'] = (token) => this.#call(({ areaOfToken }) => areaOfToken(token))
  readonly areaOfUser: Registry['areaOfUser'] = (user) => this.#call(({ areaOfUser }) => areaOfUser(user))
  readonly settingsOf: Registry['settingsOf'] = (user) => this.#call(({ settingsOf }) => settingsOf(user))
  readonly triggerOf: Registry['triggerOf'] = (id) => this.#call(({ triggerOf }) => triggerOf(id))

  readonly close = async (): Promise<void> => {
    // First, because a call while this waits would reopen the registry.
    this.#isClosed = true
    await this.#reopening
    await this.#closeRegistry()
  }

  #call<L, A>(port: (registry: Registry) => TE.TaskEither<L, A>): TE.TaskEither<L | Failure.External, A> {
    return async () => {
      const isDue = performance.now() >= this.#nextLook
      if (isDue && !this.#isClosed && this.#reopening === undefined) this.#look()
      await this.#reopening
      if (this.#problem !== undefined) return E.left(Failure.external(new Error(this.#problem)))
      const { result } = this.#opened
      return E.isLeft(result) ? E.left(Failure.external(new Error(result.left.message))) : port(result.right)()
    }
  }

  #look(): void {
    this.#nextLook = performance.now() + lookMs
    const { result, files } = this.#opened
    const now = filesAt(this.#path)
    this.#problem = problemWith(this.#path, files, now)
    if (this.#problem === undefined && (E.isLeft(result) || !areSame(files, now)))
      this.#reopening = this.#reopen().finally(() => {
        this.#reopening = undefined
      })
  }

  async #reopen(): Promise<void> {
    // Earlier calls read from the old connection at the end of this tick.
    await endOfTick().then(tick)
    // Connections within a process share the -shm of a file, so close the old connection first.
    await this.#closeRegistry()
    this.#opened = await openAt(this.#path, this.#open)
    this.#nextLook = performance.now() + lookMs
  }

  async #closeRegistry(): Promise<void> {
    const { result } = this.#opened
    if (E.isRight(result)) await result.right.close()
  }
}

const openAt = async (path: string, open: TE.TaskEither<Unavailable, Registry>): Promise<Opened> => {
  const { main, wal, shm } = filesAt(path)
  const result = await open()
  const after = filesAt(path)
  return { result, files: { main, wal: wal ?? after.wal, shm: shm ?? after.shm } }
}

const filesAt = (path: string): Files => {
  try {
    const real = realpathSync(path)
    const at = (suffix: string): Stats => statSync(real + suffix, { bigint: true, throwIfNoEntry: false })
    return { main: at(''), wal: at('-wal'), shm: at('-shm') }
  } catch {
    return { main: undefined, wal: undefined, shm: undefined }
  }
}

const isSameFile = (one: Stats, other: Stats): boolean => one?.dev === other?.dev && one?.ino === other?.ino

/**
 * A new hard link counts as a change: SQLite opened by another name keeps a separate WAL, whose changes this connection would
 * not see.
 */
const areSame = (one: Files, other: Files): boolean =>
  one.main?.nlink === other.main?.nlink &&
  (['main', 'wal', 'shm'] as const).every((file) => isSameFile(one[file], other[file]))

/** Returns the reason why reopening cannot help. */
const problemWith = (path: string, before: Files, now: Files): string | undefined => {
  if (now.main === undefined) return `${path} is gone, or cannot be reached: put it back, or restore your last backup`
  const isOldLog = before.wal !== undefined && isSameFile(before.wal, now.wal) && now.wal?.size !== 0n
  // SQLite would apply the log of the old file to the new one.
  return isOldLog && !isSameFile(before.main, now.main)
    ? `${path} was replaced, but ${path}-wal belongs to the previous file: remove ${path}-wal and ${path}-shm`
    : undefined
}
