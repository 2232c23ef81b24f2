// Which of several pieces of work goes on next.

/**
 * Half of the time goes to the work of which least is left, so that none waits for a large one; the other half to the one
 * that came first, so that large ones end one after the other, and not all of them at the very end. Of those that have not
 * begun the last goes on: a small one that has just come does not wait until all before it have begun.
 *
 * @template W
 * @param {object} work
 * @param {(work: W) => boolean} work.goOn does a piece of it, and tells whether that was the last
 * @param {(work: W) => number | undefined} work.left how much is left; `undefined` of one that has not begun
 * @param {number} work.few how much may be left of a work that is gone on with before another begins
 * @param {() => number} [work.now] in milliseconds
 * @returns {(works: Array<W>) => boolean} lets one of these go on, which stand in the order in which they came, and takes
 *   it out when it is done; tells whether it is
 */
export const takingTurns = ({ goOn, left, few, now = () => performance.now() }) => {
  /** @param {ReadonlyArray<W>} works */
  const smallestIn = (works) => {
    /** @type {{ work: W, left: number } | undefined} */
    let least
    /** @type {W | undefined} */
    let notBegun
    for (const work of works) {
      const its = left(work)
      if (its === undefined) notBegun = work
      else if (least === undefined || its < least.left) least = { work, left: its }
    }
    return least === undefined || least.left > few ? (notBegun ?? least?.work) : least.work
  }

  /** By how many milliseconds those with least left have had more than the first ones. */
  let ahead = 0
  return (works) => {
    const [first] = works
    const isForFirst = ahead > 0
    const next = isForFirst ? first : smallestIn(works)
    if (next === undefined) return false
    const began = now()
    const isDone = goOn(next)
    const took = now() - began
    ahead += isForFirst ? -took : took
    if (isDone) works.splice(works.indexOf(next), 1)
    return isDone
  }
}
