/** Does something as a user whom permissions stop. Nobody but root has to change for that. */
export const asNobody = async <A>(act: () => Promise<A>): Promise<A> => {
  if (process.geteuid?.() !== 0) return act()
  process.seteuid?.(65_534)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}
