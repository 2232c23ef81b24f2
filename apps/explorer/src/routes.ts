// Addresses of the page. They contain user ids and paths, never a token or a trigger id.

/**
 * The view of any visitor, or of the owner whose token is in this tab. `preview` shows the owner's files as a visitor would
 * see them.
 */
export type View =
  | { readonly as: 'visitor'; readonly user: string }
  | { readonly as: 'owner'; readonly preview?: boolean }

export const isPreview = (view: View): boolean => view.as === 'owner' && view.preview === true

export const isUserId = (text: string): boolean => /^(?:0|[1-9][0-9]{0,19})$/.test(text) && BigInt(text) < 2n ** 64n

export interface Place {
  readonly view: View
  /** Names from the root of the area. */
  readonly names: ReadonlyArray<string>
}

export type Route =
  | { readonly page: 'start' }
  | { readonly page: 'peek' }
  | { readonly page: 'place'; readonly place: Place }
  | { readonly page: 'unknown' }

/**
 * The address of the service, one directory above this file. Only the browser knows the whole address, because a proxy may add
 * a path prefix.
 */
export const root = new URL(/* @vite-ignore */ '../', import.meta.url).href

const decodeSegment = (segment: string): ReadonlyArray<string> => decodeURIComponent(segment).split('/')

const parseSegments = (segments: ReadonlyArray<string>, preview: boolean): Route => {
  const [first, second, ...rest] = segments
  if (first === undefined || first === '') return { page: 'start' }
  if (first !== 'browse') return { page: 'unknown' }
  if (second === undefined || (second === '' && rest.length === 0)) return { page: 'start' }
  if (second === 'peek' && rest.length === 0) return { page: 'peek' }
  // A trailing slash is ignored.
  const names = rest.at(-1) === '' ? rest.slice(0, -1) : rest
  if (second === 'files')
    return { page: 'place', place: { view: { as: 'owner', preview }, names: names.flatMap(decodeSegment) } }
  const [user, ...below] = names
  return second === 'id' && user !== undefined
    ? {
        page: 'place',
        place: { view: { as: 'visitor', user: decodeURIComponent(user) }, names: below.flatMap(decodeSegment) },
      }
    : { page: 'unknown' }
}

export const parseRoute = (address: string): Route => {
  const { pathname, searchParams } = new URL(address)
  try {
    const segments = pathname.slice(new URL(root).pathname.length).split('/')
    return parseSegments(segments, searchParams.get('as') === 'visitor')
  } catch {
    // A malformed escape.
    return { page: 'unknown' }
  }
}

export const startHref = root
export const peekHref = `${root}browse/peek`

export const placeHref = ({ view, names }: Place): string =>
  [`${root}browse`, ...(view.as === 'owner' ? ['files'] : ['id', view.user]), ...names.map(encodeURIComponent)].join(
    '/',
  ) + (isPreview(view) ? '?as=visitor' : '')

/** Unambiguous, because names contain no slash. */
export const pathOf = ({ names }: Place): string => `/${names.join('/')}`

export const childOf = (place: Place, name: string): Place => ({ ...place, names: [...place.names, name] })

export const parentOf = (place: Place): Place | undefined =>
  place.names.length === 0 ? undefined : { ...place, names: place.names.slice(0, -1) }
