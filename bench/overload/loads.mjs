import { setTimeout as sleep } from 'node:timers/promises'

/** So many who ask again as soon as they are answered. */
export const closedLoop = async (ask, connections, ms) => {
  const answers = []
  const ends = performance.now() + ms
  const one = async () => {
    while (performance.now() < ends) answers.push(await ask())
  }
  await Promise.all(Array.from({ length: connections }, one))
  return answers
}

/** So many a second, whether or not earlier ones were answered. */
export const openLoop = async (ask, perSecond, ms) => {
  const pending = []
  const began = performance.now()
  for (let sent = 0; performance.now() - began < ms; ) {
    const due = ((performance.now() - began) / 1000) * perSecond
    for (; sent < due; sent += 1) pending.push(ask())
    await sleep(1)
  }
  return Promise.all(pending)
}
