/**
 * For pieces of work that may come in great numbers at once, and of which none is urgent: so many are done in a round of
 * the event loop, first come first, the first of them in the next check phase. Nobody waits behind all of them.
 */
export const aFewARound = (most: number): ((piece: () => void) => void) => {
  const pieces: Array<() => void> = []
  const work = (): void => {
    for (const piece of pieces.splice(0, most)) piece()
    if (pieces.length > 0) setImmediate(work)
  }
  return (piece) => {
    if (pieces.push(piece) === 1) setImmediate(work)
  }
}
