// Tokens and trigger ids live in the sessionStorage of one tab. They arrive there in the fragment of an address, which
// browsers never send to a server.

type Secret = 'token' | 'trigger'

export const isToken = (text: string): boolean => /^cnp_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(text)

/** Fallback for blocked storage: the secret lasts until the page closes. */
const inMemory = new Map<Secret, string>()

let changes = 0

/** Counts changes, so that data of one secret is not shown under another. */
export const secretVersion = (): number => changes

export const secret = (kind: Secret): string | undefined => {
  try {
    return sessionStorage.getItem(`canopy.${kind}`) ?? inMemory.get(kind)
  } catch {
    return inMemory.get(kind)
  }
}

export const keep = (kind: Secret, value: string): void => {
  changes += 1
  try {
    sessionStorage.setItem(`canopy.${kind}`, value)
  } catch {
    inMemory.set(kind, value)
  }
}

export const forget = (kind: Secret): void => {
  changes += 1
  inMemory.delete(kind)
  try {
    sessionStorage.removeItem(`canopy.${kind}`)
  } catch {
    // Storage is blocked.
  }
}

/**
 * Moves a secret from the fragment of the address to this tab, and so out of the address bar and the history. Returns the
 * kind of secret.
 */
export const takeFromAddress = (): Secret | undefined => {
  const [, kind, value = ''] = /^#(token|trigger)=(.*)$/s.exec(location.hash) ?? []
  if (kind !== 'token' && kind !== 'trigger') return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  let decoded = value
  try {
    decoded = decodeURIComponent(value)
  } catch {
    // Keeps text with a malformed escape unchanged.
  }
  keep(kind, decoded)
  return kind
}
