import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Registry } from './openRegistry.js'
import type { Unavailable } from './Unavailable.js'

/** How long a look at the files is good, in milliseconds. */
const lookMs = 1_000

type Stats = BigIntStats | undefined
/** Where there is none of a file, `undefined`. */
type Files = Readonly<Record<'main' | 'wal' | 'shm', Stats>>

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

/** Also the number of its names: hard links. */
const areSame = (one: Files, other: Files): boolean =>
  one.main?.nlink === other.main?.nlink &&
  (['main', 'wal', 'shm'] as const).every((file) => isSameFile(one[file], other[file]))

/** Why a registry at this path is neither read as it was opened nor opened again. */
const problemWith = (path: string, before: Files, now: Files): string | undefined => {
  if (now.main === undefined)
    return `${path} is gone, or cannot be reached: put it back, or restore the copy of your last backup`
  // SQLite would read the changes of the old file over those of the new one.
  const isOldLog = before.wal !== undefined && isSameFile(before.wal, now.wal) && now.wal?.size !== 0n
  return isOldLog && !isSameFile(before.main, now.main)
    ? `${path} was replaced, but ${path}-wal is that of the file before: remove it, and ${path}-shm`
    : undefined
}

interface Opened {
  readonly result: E.Either<Unavailable, Registry>
  /** Those that were there before, or else that opening has made: what was replaced since differs at the next look. */
  readonly files: Files
}

const openAt = async (path: string, open: TE.TaskEither<Unavailable, Registry>): Promise<Opened> => {
  const { main, wal, shm } = filesAt(path)
  const result = await open()
  const after = filesAt(path)
  return { result, files: { main, wal: wal ?? after.wal, shm: shm ?? after.shm } }
}

/**
 * A registry that is opened again when another file is at its path, or SQLite's `-wal` or `-shm` beside it is not the
 * one that was opened: what is written now is not seen through the old ones. Every question is answered from files that
 * were in place at most a second ago; while they cannot be opened it is `external`. What was cached of the old registry
 * goes with it.
 */
export const followFile =
  (path: string, open: TE.TaskEither<Unavailable, Registry>): TE.TaskEither<Unavailable, Registry> =>
  async () => {
    let { result, files } = await openAt(path, open)
    if (E.isLeft(result)) return result
    let problem: string | undefined
    let nextLook = performance.now() + lookMs
    let reopening: Promise<void> | undefined
    const close = async (): Promise<void> => (E.isRight(result) ? result.right.close() : undefined)

    const reopen = async (): Promise<void> => {
      // Closed first, since connections of one process to one file share its -shm.
      await close()
      ;({ result, files } = await openAt(path, open))
      nextLook = performance.now() + lookMs
    }

    const look = (): void => {
      nextLook = performance.now() + lookMs
      const now = filesAt(path)
      problem = problemWith(path, files, now)
      if (problem === undefined && (E.isLeft(result) || !areSame(files, now)))
        reopening = reopen().finally(() => (reopening = undefined))
    }

    const ask =
      <L, A>(question: (registry: Registry) => TE.TaskEither<L, A>): TE.TaskEither<L | Failure.External, A> =>
      async () => {
        if (reopening === undefined && performance.now() >= nextLook) look()
        await reopening
        if (problem !== undefined) return E.left(Failure.external(new Error(problem)))
        return E.isLeft(result) ? E.left(Failure.external(new Error(result.left.message))) : question(result.right)()
      }

    return E.right({
      areaOfToken: (token) => ask(({ areaOfToken }) => areaOfToken(token)),
      areaOfUser: (user) => ask(({ areaOfUser }) => areaOfUser(user)),
      settingsOf: (user) => ask(({ settingsOf }) => settingsOf(user)),
      triggerOf: (id) => ask(({ triggerOf }) => triggerOf(id)),
      close: async () => {
        await reopening
        nextLook = Number.POSITIVE_INFINITY
        await close()
      },
    })
  }
