import type { Asked } from './Mutant.js'

/** A target of the four operations that have a path, or of the fifth, taken apart. */
interface Parts {
  readonly route: string
  readonly credential: string
  readonly path: string
  readonly query: string
}

const operation =
  /^(\/api\/storage\/v1\/(?:tree|diritems)\/|\/api\/usercontent\/v1\/(?:tree|diritems)\/id\/|\/api\/triggers\/v1\/peek\/)([^/?]+)([^?]*)(.*)$/

export const partsOf = (target: string): Parts | undefined => {
  const [, route, credential, path, query] = operation.exec(target) ?? []
  return route === undefined || credential === undefined
    ? undefined
    : { route, credential, path: path ?? '', query: query ?? '' }
}

/** A server that reads a part of the target differently. Other targets it leaves alone. */
export const reading =
  (change: (parts: Parts) => Partial<Parts>) =>
  (asked: Asked): Asked => {
    const parts = partsOf(asked.target)
    if (parts === undefined) return asked
    const { route, credential, path, query } = { ...parts, ...change(parts) }
    return { ...asked, target: `${route}${credential}${path}${query}` }
  }

export const readingPath = (change: (path: string) => string) => reading(({ path }) => ({ path: change(path) }))

export const isVisitors = ({ target }: Asked): boolean => target.startsWith('/api/usercontent/v1/')
export const isOwners = ({ target }: Asked): boolean => target.startsWith('/api/storage/v1/')
export const isPeek = ({ target }: Asked): boolean => target.startsWith('/api/triggers/v1/peek/')
