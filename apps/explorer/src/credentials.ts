// Tokens and trigger ids live in this tab: in its sessionStorage, and on the way there in the fragment of an address,
// which browsers send to no server.

type Secret = 'token' | 'trigger'

export const isToken = (text: string): boolean => /^cnp_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(text)

/** For a browser that keeps nothing: the secret then ends with the page. */
const unkept = new Map<Secret, string>()

let changes = 0

/** Counts the changes of secrets: what was shown with one is not shown with another. */
export const secretVersion = (): number => changes

export const secret = (which: Secret): string | undefined => {
  try {
    return sessionStorage.getItem(`canopy.${which}`) ?? unkept.get(which)
  } catch {
    return unkept.get(which)
  }
}

export const keep = (which: Secret, value: string): void => {
  changes += 1
  try {
    sessionStorage.setItem(`canopy.${which}`, value)
  } catch {
    unkept.set(which, value)
  }
}

export const forget = (which: Secret): void => {
  changes += 1
  unkept.delete(which)
  try {
    sessionStorage.removeItem(`canopy.${which}`)
  } catch {
    // It keeps nothing.
  }
}

/**
 * Moves a secret out of the fragment of this page's address, and so out of the address bar and its entry in the history.
 * Gives its name.
 */
export const takeFromAddress = (): Secret | undefined => {
  const [, which, value = ''] = /^#(token|trigger)=(.*)$/s.exec(location.hash) ?? []
  if (which !== 'token' && which !== 'trigger') return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  let decoded = value
  try {
    decoded = decodeURIComponent(value)
  } catch {
    // As it is.
  }
  keep(which, decoded)
  return which
}
