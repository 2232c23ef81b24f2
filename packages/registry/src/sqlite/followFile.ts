import { realpathSync, statSync } from 'node:fs'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Registry } from '../openRegistry.js'
import type { Unavailable } from '../Unavailable.js'

/** How long a look at the files is good, in milliseconds. */
const lookMs = 1_000

/** What tells a file from another one in its place; `undefined` where there is none. */
type FileId = string | undefined

interface Files {
  readonly main: FileId
  readonly wal: FileId
  readonly shm: FileId
  /** Of the main file: hard links. */
  readonly names: bigint
  /** Whether the write-ahead log holds anything. */
  readonly logged: boolean
}

interface Opened {
  readonly registry: Registry
  readonly files: Files
}

/** `undefined` where no file can be reached. */
const filesAt = (path: string): Files | undefined => {
  try {
    const real = realpathSync(path)
    const [main, wal, shm] = ['', '-wal', '-shm'].map((suffix) =>
      statSync(real + suffix, { bigint: true, throwIfNoEntry: false }),
    )
    const id = (stats: typeof main): FileId => stats && `${stats.dev} ${stats.ino}`
    return {
      main: id(main),
      wal: id(wal),
      shm: id(shm),
      names: main?.nlink ?? 0n,
      logged: wal !== undefined && wal.size > 0n,
    }
  } catch {
    return undefined
  }
}

const isSame = (one: Files, other: Files): boolean =>
  one.main === other.main && one.wal === other.wal && one.shm === other.shm && one.names === other.names

/** SQLite would read the changes of the old file over those of the new one. */
const leftLog = (before: Files, now: Files): boolean =>
  before.main !== now.main && before.wal !== undefined && before.wal === now.wal && now.logged

const external = (message: string): E.Either<Failure.External, never> => E.left(Failure.external(new Error(message)))

/**
 * A registry that is opened again when another file stands at its path, or SQLite's `-wal` or `-shm` beside it is not the
 * one that was opened: what is written now is not seen through the old ones. Every question is answered from files that
 * were in place at most a second ago; while they cannot be opened it is `external`. What was remembered of the old
 * registry goes with it.
 */
export const followFile = (
  path: string,
  open: TE.TaskEither<Unavailable, Registry>,
): TE.TaskEither<Unavailable, Registry> => {
  // What stood there before, or else what opening has made: what was replaced meanwhile differs at the next look.
  const opening: TE.TaskEither<Unavailable, Opened> = async () => {
    const before = filesAt(path)
    const registry = await open()
    const after = filesAt(path)
    const files = {
      main: before?.main,
      wal: before?.wal ?? after?.wal,
      shm: before?.shm ?? after?.shm,
      names: before?.names ?? 0n,
      logged: false,
    }
    return pipe(
      registry,
      E.map((opened) => ({ registry: opened, files })),
    )
  }

  const following = (first: Opened): Registry => {
    let opened: Opened | undefined = first
    let current: E.Either<Failure.External, Registry> = E.right(first.registry)
    let nextLook = performance.now() + lookMs
    let reopening: Promise<void> | undefined

    const reopen = async (): Promise<void> => {
      // First, since connections of one process to one file share its -shm.
      await opened?.registry.close()
      opened = undefined
      const again = await opening()
      if (E.isRight(again)) opened = again.right
      current = E.isRight(again) ? E.right(again.right.registry) : external(again.left.message)
      nextLook = performance.now() + lookMs
    }

    const look = (): void => {
      nextLook = performance.now() + lookMs
      const now = filesAt(path)
      if (now === undefined) {
        current = external(
          `${path} is gone, or cannot be reached: put it back, or restore the copy of your last backup`,
        )
      } else if (opened !== undefined && isSame(opened.files, now)) {
        current = E.right(opened.registry)
      } else if (opened !== undefined && leftLog(opened.files, now)) {
        current = external(
          `${path} was replaced, but ${path}-wal is that of the file before: remove it, and ${path}-shm`,
        )
      } else {
        reopening = reopen().finally(() => {
          reopening = undefined
        })
      }
    }

    const ask = <L, A>(
      question: (registry: Registry) => TE.TaskEither<L, A>,
    ): TE.TaskEither<L | Failure.External, A> => {
      const answer = (): Promise<E.Either<L | Failure.External, A>> =>
        E.isLeft(current) ? Promise.resolve(current) : question(current.right)()
      return () => {
        if (reopening === undefined && performance.now() >= nextLook) look()
        return reopening === undefined ? answer() : reopening.then(answer)
      }
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

  return pipe(opening, TE.map(following))
}
