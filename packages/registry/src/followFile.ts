import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Registry } from './openRegistry.js'
import type { Unavailable } from './Unavailable.js'

/** How long a look at the files is good, in milliseconds. */
const lookMs = 1_000

/** `undefined` where there is none. */
type Stats = BigIntStats | undefined

type Files = Readonly<Record<'main' | 'wal' | 'shm', Stats>>

/** `undefined` where no file can be reached. */
const filesAt = (path: string): Files | undefined => {
  try {
    const real = realpathSync(path)
    const at = (suffix: string): Stats => statSync(real + suffix, { bigint: true, throwIfNoEntry: false })
    return { main: at(''), wal: at('-wal'), shm: at('-shm') }
  } catch {
    return undefined
  }
}

const isSameFile = (one: Stats, other: Stats): boolean => one?.dev === other?.dev && one?.ino === other?.ino

/** Also the number of its names: hard links. */
const areSame = (one: Files, other: Files): boolean =>
  one.main?.nlink === other.main?.nlink &&
  (['main', 'wal', 'shm'] as const).every((file) => isSameFile(one[file], other[file]))

/** SQLite would read the changes of the old file over those of the new one. */
const leftLog = (before: Files, now: Files): boolean =>
  !isSameFile(before.main, now.main) &&
  before.wal !== undefined &&
  isSameFile(before.wal, now.wal) &&
  now.wal?.size !== 0n

interface Opened {
  readonly registry: Registry
  /** Those that were there before, or else that opening has made: what was replaced since differs at the next look. */
  readonly files: Files
}

const external = (message: string) => E.left(Failure.external(new Error(message)))

const following = (path: string, again: TE.TaskEither<Unavailable, Opened>, first: Opened): Registry => {
  let opened: Opened | undefined = first
  let current: E.Either<Failure.External, Registry> = E.right(first.registry)
  let nextLook = performance.now() + lookMs
  let reopening: Promise<void> | undefined

  const reopen = async (): Promise<void> => {
    // First, since connections of one process to one file share its -shm.
    await opened?.registry.close()
    opened = undefined
    const result = await again()
    opened = E.isRight(result) ? result.right : undefined
    current = E.isRight(result) ? E.right(result.right.registry) : external(result.left.message)
    nextLook = performance.now() + lookMs
  }

  const look = (): void => {
    nextLook = performance.now() + lookMs
    const now = filesAt(path)
    if (now === undefined)
      current = external(`${path} is gone, or cannot be reached: put it back, or restore the copy of your last backup`)
    else if (opened !== undefined && areSame(opened.files, now)) current = E.right(opened.registry)
    else if (opened !== undefined && leftLog(opened.files, now))
      current = external(`${path} was replaced, but ${path}-wal is that of the file before: remove it, and ${path}-shm`)
    else reopening = reopen().finally(() => (reopening = undefined))
  }

  const ask =
    <L, A>(question: (registry: Registry) => TE.TaskEither<L, A>): TE.TaskEither<L | Failure.External, A> =>
    async () => {
      if (reopening === undefined && performance.now() >= nextLook) look()
      if (reopening !== undefined) await reopening
      return E.isLeft(current) ? current : question(current.right)()
    }

  return {
    areaOfToken: (token) => ask(({ areaOfToken }) => areaOfToken(token)),
    areaOfUser: (user) => ask(({ areaOfUser }) => areaOfUser(user)),
    settingsOf: (user) => ask(({ settingsOf }) => settingsOf(user)),
    triggerOf: (id) => ask(({ triggerOf }) => triggerOf(id)),
    close: async () => {
      await reopening
      nextLook = Number.POSITIVE_INFINITY
      await opened?.registry.close()
    },
  }
}

/**
 * A registry that is opened again when another file is at its path, or SQLite's `-wal` or `-shm` beside it is not the
 * one that was opened: what is written now is not seen through the old ones. Every question is answered from files that
 * were in place at most a second ago; while they cannot be opened it is `external`. What was cached of the old registry
 * goes with it.
 */
export const followFile = (
  path: string,
  open: TE.TaskEither<Unavailable, Registry>,
): TE.TaskEither<Unavailable, Registry> => {
  const opening: TE.TaskEither<Unavailable, Opened> = async () => {
    const before = filesAt(path)
    const opened = await open()
    const after = filesAt(path)
    const files = { main: before?.main, wal: before?.wal ?? after?.wal, shm: before?.shm ?? after?.shm }
    return E.map((registry: Registry) => ({ registry, files }))(opened)
  }
  return pipe(
    opening,
    TE.map((first) => following(path, opening, first)),
  )
}
