import type * as T from 'fp-ts/lib/Task.js'

/** Says a line when a task has taken so many milliseconds, so that nobody takes it for one that hangs. */
export const tellWhenSlow =
  (tell: (line: string) => void, ms: number) =>
  (line: string) =>
  <A>(task: T.Task<A>): T.Task<A> =>
  async () => {
    const timer = setTimeout(() => tell(line), ms)
    try {
      return await task()
    } finally {
      clearTimeout(timer)
    }
  }
