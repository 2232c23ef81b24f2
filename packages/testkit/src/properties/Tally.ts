/** How often each kind occurred. */
export type Tally = Readonly<Record<string, number>>

export const none: Tally = {}

export const count = (tally: Tally, kinds: ReadonlyArray<string>): Tally => {
  const counted = { ...tally }
  for (const kind of kinds) counted[kind] = (counted[kind] ?? 0) + 1
  return counted
}

export const sum = (one: Tally, other: Tally): Tally => {
  const summed = { ...one }
  for (const [kind, times] of Object.entries(other)) summed[kind] = (summed[kind] ?? 0) + times
  return summed
}

/** Of these kinds together, from 0 to 1. */
export const share = (tally: Tally, kinds: ReadonlyArray<string>): number => {
  const all = Object.values(tally).reduce((times, more) => times + more, 0)
  return all === 0 ? 0 : kinds.reduce((times, kind) => times + (tally[kind] ?? 0), 0) / all
}
