export interface AtOnce {
  readonly most: number
  /** Who takes longer, in milliseconds, keeps its place no more: it waits for something, or has much to do. */
  readonly longMs: number
}

/** Does a piece of work when its turn comes. */
export type InTurn = (work: () => Promise<void>) => Promise<void>

/**
 * Lets a few work at once; the others wait, first come first, before anything is made for them. Nothing is done sooner by
 * beginning it sooner, and what many have half done is memory that the collector has to look at again and again.
 */
export const fewAtOnce = ({ most, longMs }: AtOnce): InTurn => {
  const waiting: Array<() => void> = []
  let working = 0

  const giveOn = (): void => {
    const first = waiting.shift()
    if (first === undefined) working -= 1
    else first()
  }

  return async (work) => {
    if (working < most) working += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    let isLong = false
    const long = setTimeout(() => {
      isLong = true
      giveOn()
    }, longMs).unref()
    try {
      await work()
    } finally {
      clearTimeout(long)
      if (!isLong) giveOn()
    }
  }
}
