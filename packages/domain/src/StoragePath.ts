import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as Name from './Name.js'
import { textCodec } from './textCodec.js'

/**
 * The location of a node in its area: `/` for the root, `/a/b` below it. Invariants: each segment is a
 * {@link Name.Name}; at most 255 segments; at most 4,096 bytes of UTF-8 without the leading `/`.
 * Every path has one spelling, so paths compare and key maps as strings.
 */
export type StoragePath = string & { readonly StoragePath: unique symbol }

export const maxBytes = 4096
export const maxSegments = 255

/** A path as a request names it: a trailing slash asks for a directory. */
export interface RequestedPath {
  readonly path: StoragePath
  readonly mustBeDirectory: boolean
}

export const root: StoragePath = '/' as StoragePath

// constructors

export const fromNames = (names: ReadonlyArray<Name.Name>): O.Option<StoragePath> => {
  const joined = names.join('/')
  return names.length <= maxSegments && Name.utf8Length(joined) <= maxBytes
    ? O.some(`/${joined}` as StoragePath)
    : O.none
}

/** The literal itself if it has the form of a path; `never` for other literals and for text known only at run time. */
export type Literal<S> = S extends '/'
  ? S
  : IsKnown<S> extends false
    ? never
    : S extends `${string}//${string}` | `${string}/`
      ? never
      : S extends `/${string}`
        ? S
        : never

/** False for `string` and for templates such as `/${string}`: as keys of a record they are optional. */
type IsKnown<S> = S extends string ? ({ readonly none?: never } extends Record<S, unknown> ? false : true) : false

/** For literals in programs: `unsafe('/photos')`. Only the form is checked, by the compiler; parse any other text. */
export const unsafe = <const S extends string>(literal: Literal<S>): StoragePath => literal as string as StoragePath

/** Parses `/a/b`, exactly as {@link StoragePath} is spelled. */
export const fromString = (s: string): O.Option<StoragePath> => {
  if (s === '/') return O.some(root)
  const names: ReadonlyArray<string> = s.slice(1).split('/')
  return s.startsWith('/') && names.every(Name.is) ? fromNames(names) : O.none
}

/**
 * Parses the part of a raw request target after the token or the user id: absent (`''`), `/`, or `/a/b` with at most one
 * trailing slash. After the first slash `%2F` is a slash too, because clients generated from an OpenAPI document encode it.
 * Each segment is percent-decoded once, strictly.
 */
export const fromRaw = (raw: string): O.Option<RequestedPath> => {
  if (raw === '' || raw === '/') return O.some({ path: root, mustBeDirectory: true })
  if (!raw.startsWith('/')) return O.none
  const path = raw.replaceAll(/%2f/gi, '/')
  const mustBeDirectory = path.endsWith('/')
  return pipe(
    // Decode at most one segment too many of a long target.
    path.slice(1, mustBeDirectory ? -1 : undefined).split('/', maxSegments + 1),
    O.traverseArray(Name.fromRawSegment),
    O.flatMap(fromNames),
    O.map((named) => ({ path: named, mustBeDirectory })),
  )
}

/** Paths up to this length are within both limits: 256 names need 512 characters, and 511 characters need at most 1,533 bytes. */
const surelyFits = 511

/** Reports whether a child of any name has a path within both limits. */
// Stryker disable next-line ArrowFunction,ConditionalExpression,EqualityOperator: false only costs time
export const fitsAnyChild = (directory: StoragePath): boolean => directory.length < surelyFits - Name.maxBytes

/** Returns the path of a child, unless it would exceed a limit. */
export const child = (parent: StoragePath, name: Name.Name): O.Option<StoragePath> => {
  const path = (parent === root ? `/${name}` : `${parent}/${name}`) as StoragePath
  // Stryker disable next-line ConditionalExpression,EqualityOperator: a short cut only, since fromNames allows each such path.
  return path.length <= surelyFits ? O.some(path) : fromNames(segments(path))
}

// destructors

// The cast is safe: parsing checked each segment.
export const segments = (path: StoragePath): ReadonlyArray<Name.Name> =>
  path === root ? [] : (path.slice(1).split('/') as unknown as ReadonlyArray<Name.Name>)

/** Returns the last segment; `''` for the root. */
export const name = (path: StoragePath): Name.Name | '' => path.slice(path.lastIndexOf('/') + 1) as Name.Name | ''

/** Returns the path of the parent directory. The root has no parent. */
export const parent = (path: StoragePath): O.Option<StoragePath> =>
  path === root ? O.none : O.some((path.slice(0, path.lastIndexOf('/')) || '/') as StoragePath)

/** Returns the path and all its ancestors, nearest first, the root last. */
export const upwards = (path: StoragePath): ReadonlyArray<StoragePath> =>
  RA.unfold<StoragePath, O.Option<StoragePath>>(
    O.some(path),
    O.map((at) => [at, parent(at)]),
  )

/** Compares segment by segment: `/photos` contains `/photos` and `/photos/a`, not `/photos2`. */
export const contains =
  (scope: StoragePath) =>
  (path: StoragePath): boolean =>
    scope === root || path === scope || path.startsWith(`${scope}/`)

// codec

export const is = (u: unknown): u is StoragePath => typeof u === 'string' && O.isSome(fromString(u))

export const codec = textCodec('StoragePath', is, 'must be "/" or "/name/name", of at most 255 names and 4,096 bytes')
