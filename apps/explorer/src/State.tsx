// The page without a listing: its meaning, and the next step.
import type { Failure } from '@canopy/client'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon, type IconName } from './icons.js'
import type { Messages } from './messages/en.js'
import { follow } from './navigation.js'
import { words } from './preferences.js'
import { type Place, parentOf, placeHref } from './routes.js'
import { CredentialField, PathField } from './WaysIn.js'

type StateName = keyof Messages['states']

const icons: { readonly [S in StateName]: IconName } = {
  empty: 'folder',
  private: 'private',
  outside: 'private',
  closed: 'private',
  'invalid token': 'private',
  'no token': 'private',
  'not verified': 'wait',
  'file not found': 'missing',
  'type mismatch': 'file',
  'trigger not found': 'missing',
  external: 'away',
  unreadable: 'private',
  busy: 'wait',
  'too many requests': 'wait',
  away: 'away',
  offline: 'away',
  unexpected: 'missing',
  unknown: 'missing',
}

interface StateProps {
  readonly name: StateName
  /** `h2` below another heading. */
  readonly heading?: 'h1' | 'h2'
  readonly children?: ComponentChildren
}

export const State = ({ name, heading: Heading = 'h1', children }: StateProps) => {
  const [title, sentence] = words().states[name]
  return (
    <section class="state" data-state={name}>
      <Icon name={icons[name]} />
      <Heading>{title}</Heading>
      <p>{sentence}</p>
      {children}
    </section>
  )
}

interface FailureState {
  readonly name: StateName
  /** Seconds until the next attempt. */
  readonly seconds?: number
}

const awayState = (): FailureState => (navigator.onLine ? { name: 'away', seconds: 10 } : { name: 'offline' })

/** `isThere`: the directory itself was found, so that only its content cannot be read. */
const stateOf = (failure: Failure, place: Place | undefined, isThere: boolean): FailureState => {
  switch (failure.error) {
    case 'permission denied':
      return { name: place?.view.as === 'owner' ? 'outside' : 'private' }
    case 'malformed input':
      return { name: place === undefined ? 'trigger not found' : 'file not found' }
    case 'bad request':
    case 'malformed response':
    case 'too large':
      return { name: 'unexpected' }
    case 'unexpected response':
      // A proxy answers for a service that does not.
      return failure.status >= 502 && failure.status <= 504 ? awayState() : { name: 'unexpected' }
    case 'overloaded':
      return { name: 'busy', seconds: Math.max(failure.retryAfter, 1) }
    case 'too many requests':
      return { name: 'too many requests', seconds: Math.max(failure.retryAfter, 1) }
    case 'no response':
    case 'incomplete response':
    case 'timed out':
    case 'aborted':
      return awayState()
    case 'external':
      return isThere ? { name: 'unreadable' } : { name: 'external', seconds: 10 }
    case 'invalid token':
    case 'not verified':
    case 'file not found':
    case 'type mismatch':
    case 'trigger not found':
      return { name: failure.error }
  }
}

const Countdown = ({ seconds, retry }: { readonly seconds: number; readonly retry: () => void }) => {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const timer = setTimeout(() => (left > 1 ? setLeft(left - 1) : retry()), 1000)
    return () => clearTimeout(timer)
  }, [left])
  return <p class="countdown">{words().tryingIn(left)}</p>
}

interface FailedProps {
  readonly failure: Failure
  readonly place?: Place
  readonly isThere?: boolean
  readonly retry: () => void
}

const isRetryable = (name: StateName): boolean =>
  icons[name] === 'away' || ['unreadable', 'busy', 'too many requests', 'unexpected'].includes(name)

export const Failed = ({ failure, place, isThere = false, retry }: FailedProps) => {
  const { name, seconds } = stateOf(failure, place, isThere)
  const parent = place === undefined ? undefined : parentOf(place)
  useEffect(() => {
    addEventListener('online', retry)
    return () => removeEventListener('online', retry)
  }, [retry])
  return (
    <State name={name} heading={place === undefined ? 'h2' : 'h1'}>
      {seconds !== undefined && <Countdown key={failure} seconds={seconds} retry={retry} />}
      {isRetryable(name) && (
        <button type="button" class="main" onClick={retry}>
          {words().tryAgain}
        </button>
      )}
      {(name === 'private' || name === 'invalid token') && <CredentialField names={place?.names ?? []} />}
      {name === 'outside' && place !== undefined && <PathField view={place.view} />}
      {parent !== undefined && (
        <a class="button" href={placeHref(parent)} onClick={follow}>
          {words().up}
        </a>
      )}
    </State>
  )
}
