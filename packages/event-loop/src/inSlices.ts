import { breathing, turn } from './breathing.js'

/** Maps on this thread, and lets other work in before it begins and whenever a slice of time is used up. */
export const inSlices = async <A, B>(as: ReadonlyArray<A>, f: (a: A) => B): Promise<ReadonlyArray<B>> => {
  await turn()
  const breathe = breathing()
  const bs: Array<B> = []
  for (const a of as) {
    await breathe()
    bs.push(f(a))
  }
  return bs
}
