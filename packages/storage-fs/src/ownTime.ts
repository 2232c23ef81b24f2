/** In any stretch of so many milliseconds this thread reads for about so many, while others could read instead. */
const stretchMs = 20
const mostMs = 1

/** What this thread has lately spent on reading: whether it may go on, and a way to spend. */
export const ownTime = (now: () => number = () => performance.now()) => {
  let since = 0
  let spent = 0
  return {
    isLeft: (): boolean => {
      if (now() - since > stretchMs) {
        since = now()
        spent = 0
      }
      return spent < mostMs
    },
    spend: <A>(read: () => A): A => {
      const began = now()
      try {
        return read()
      } finally {
        spent += now() - began
      }
    },
  }
}
