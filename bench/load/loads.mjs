import { setTimeout as sleep } from 'node:timers/promises'

// Each resolves with all answers, and with those that came while the load lasted: what comes behind it was not made beside
// any other work, and would count for more of a rate than was done.

const loadOf = (answers, ends) => ({ answers, inTime: answers.filter(({ ended }) => ended <= ends) })

/** So many who ask again as soon as they are answered. */
export const closedLoop = async (ask, connections, ms) => {
  const answers = []
  const ends = performance.now() + ms
  const one = async () => {
    while (performance.now() < ends) answers.push(await ask())
  }
  await Promise.all(Array.from({ length: connections }, one))
  return loadOf(answers, ends)
}

/** So many a second, whether or not earlier ones were answered. */
export const openLoop = async (ask, perSecond, ms) => {
  const pending = []
  const began = performance.now()
  const ends = began + ms
  for (let sent = 0; performance.now() < ends; ) {
    const due = ((performance.now() - began) / 1000) * perSecond
    for (; sent < due; sent += 1) pending.push(ask())
    await sleep(1)
  }
  return loadOf(await Promise.all(pending), ends)
}
