/** Work that is done one after the other, in the order in which it is asked for, whether or not what came before fails. */
export const oneAfterTheOther = (): (<A>(work: () => Promise<A>) => Promise<A>) => {
  let before: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = before.then(work)
    before = done.catch(() => undefined)
    return done
  }
}
