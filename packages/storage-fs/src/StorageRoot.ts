import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'

/** The directory that contains the areas: an absolute path. It need not exist yet. */
export type StorageRoot = string & { readonly StorageRoot: unique symbol }

const decoded = (path: string): E.Either<string, string> =>
  E.tryCatch(
    () => decodeURIComponent(path),
    () => 'must not contain a "%" that is not part of valid UTF-8 percent-encoding: write "%25" for a literal "%"',
  )

const pathOf = (text: string): E.Either<string, string> => {
  if (!/^file:./s.test(text)) return E.left('must be a directory URL such as "file:data" or "file:///srv/canopy"')
  if (/[?#]/.test(text)) return E.left('must not contain "?" or "#": write them as "%3F" and "%23"')
  if (/%(2f|00)/i.test(text))
    return E.left('must not contain "%2F" or "%00": a directory name cannot contain "/" or NUL')
  if (/^file:\/\/[^/]/.test(text))
    return E.left('must not contain a host: write "file:///srv/canopy", with three slashes')
  return pipe(
    text.replace(/file:(\/\/)?/, ''),
    E.fromPredicate(
      (path) => path !== '',
      () => 'must contain a path, such as "file:///srv/canopy"',
    ),
    E.flatMap(decoded),
  )
}

/**
 * Reads `file:data` (relative to `cwd`) or `file:///srv/canopy`. Escapes are those of a URL: `%20` is a space.
 * The error says what to write.
 */
export const fromText =
  (cwd: string) =>
  (text: string): E.Either<string, StorageRoot> =>
    pipe(
      pathOf(text),
      E.map((path) => resolve(cwd, path) as StorageRoot),
    )

/** Writes an absolute path as text that {@link fromText} reads. */
export const urlOf = (path: string): string => `file://${path.split('/').map(encodeURIComponent).join('/')}`
