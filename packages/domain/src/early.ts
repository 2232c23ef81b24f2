import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as IO from 'fp-ts/lib/IO.js'
import { newIORef } from 'fp-ts/lib/IORef.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'

interface Early<A> {
  /** Begins the task, unless it is begun already. */
  readonly begin: IO.IO<void>
  /** What was begun, which is held no longer then; or the task itself. */
  readonly take: T.Task<A>
}

/** A task that may be begun before its result is needed. */
export const early = <A>(task: T.Task<A>): IO.IO<Early<A>> =>
  pipe(
    newIORef<O.Option<Promise<A>>>(O.none),
    IO.map((begun) => ({
      begin: () => {
        if (O.isSome(begun.read())) return
        const running = task()
        // Whoever takes it hears how it failed. If nobody does, nobody wants to know.
        running.catch(constVoid)
        begun.write(O.some(running))()
      },
      take: () => {
        const running = begun.read()
        begun.write(O.none)()
        return O.isSome(running) ? running.value : task()
      },
    })),
  )
