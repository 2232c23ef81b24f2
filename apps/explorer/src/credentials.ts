// Tokens and trigger ids live in the sessionStorage of one tab. They arrive there in the fragment of an address, which
// browsers never send to a server. Beside a token, the tab keeps the user id of its owner, for links to visitors.
import { store } from './store.js'

type Secret = 'token' | 'trigger'
type Kept = Secret | 'user'

export const isToken = (text: string): boolean => /^cnp_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(text)

/** Fallback for blocked storage: the value lasts until the page closes. */
const inMemory = new Map<Kept, string>()

let changes = 0

/** Counts changes, so that data of one secret is not shown under another. */
export const secretVersion = (): number => changes

const kept = (kind: Kept): string | undefined => {
  try {
    return sessionStorage.getItem(`canopy.${kind}`) ?? inMemory.get(kind)
  } catch {
    return inMemory.get(kind)
  }
}

export const secret = (kind: Secret): string | undefined => kept(kind)

/** Returns the user id of the token's owner, if the person has given it. */
export const ownUser = (): string | undefined => kept('user')

const drop = (kind: Kept): void => {
  inMemory.delete(kind)
  try {
    sessionStorage.removeItem(`canopy.${kind}`)
  } catch {
    // Storage is blocked.
  }
}

export const keep = (kind: Kept, value: string): void => {
  if (kind !== 'user') changes += 1
  // Another token may belong to another user.
  if (kind === 'token') drop('user')
  try {
    sessionStorage.setItem(`canopy.${kind}`, value)
  } catch {
    inMemory.set(kind, value)
  }
}

export const forget = (kind: Secret): void => {
  changes += 1
  drop(kind)
  if (kind === 'token') drop('user')
}

/** A token from the address that waits for consent, because the tab has another one. */
interface Offer {
  readonly token: string
  readonly user: string | undefined
}

const offered = store<Offer | undefined>(undefined)

export const useOffer = offered.use

const accept = ({ token, user }: Offer): void => {
  keep('token', token)
  if (user !== undefined) keep('user', user)
}

/** Answers whether the offered token replaces the token of the tab. */
export const settleOffer = (isAccepted: boolean): void => {
  const offer = offered.get()
  if (isAccepted && offer !== undefined) accept(offer)
  offered.set(undefined)
}

/** Keeps text with a malformed escape unchanged. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Moves a secret from the fragment of the address to this tab, and so out of the address bar and the history. Returns the
 * kind of secret. A token that would replace another one is offered instead.
 */
export const takeFromAddress = (): Secret | undefined => {
  const [, kind, value = '', user] = /^#(token|trigger)=(.*?)(?:&user=([0-9]{1,20}))?$/s.exec(location.hash) ?? []
  if (kind !== 'token' && kind !== 'trigger') return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  if (kind === 'trigger') {
    keep('trigger', decode(value))
    return 'trigger'
  }
  const offer = { token: decode(value), user }
  const current = secret('token')
  if (current === undefined || current === offer.token) accept(offer)
  else offered.set(offer)
  return 'token'
}
