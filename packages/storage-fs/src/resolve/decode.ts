import { type BigIntStats, statSync } from 'node:fs'
import { type Entry, Name, U64 } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'

// A leading U+FEFF is part of a name, not a byte order mark.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes a name from its bytes as latin1 text; an empty option if they are not valid UTF-8. */
export const nameOfBytes = (bytes: string): O.Option<Name.Name> =>
  /[^\0-\x7f]/.test(bytes)
    ? pipe(
        O.tryCatch(() => utf8.decode(Buffer.from(bytes, 'latin1'))),
        O.filter(Name.is),
      )
    : Name.fromString(bytes)

/** The largest time that Linux can store. */
const latest = 2n ** 63n - 1n

/**
 * Returns the modification time in whole seconds since 1970, at least 0. Node passes seconds through a double: above 2^53 it
 * rounds them, and a time that rounds to 2^63 arrives as -2^63. Only then `statAgain` reads the node again without bigints,
 * which keeps the sign.
 */
const modifiedSeconds = (
  { mtimeNs }: Pick<BigIntStats, 'mtimeNs'>,
  statAgain: (path: string) => { readonly mtimeMs: number },
  path: string,
): bigint => {
  // Truncates instead of rounding down: the two differ only before 1970, and that is 0 either way.
  const seconds = mtimeNs / 1_000_000_000n
  if (seconds >= 0n) return seconds
  // A time that arrived as -2^63 may have nanoseconds added, so it is a second above at most.
  if (seconds > 1n - latest) return 0n
  try {
    return statAgain(path).mtimeMs > 0 ? latest : 0n
  } catch {
    return 0n
  }
}

/** Returns the node; an empty option for a link, a socket, a pipe or a device. `path` leads to the node, also through links. */
export const nodeOfStats = (stats: BigIntStats, path: string): O.Option<Entry.Node> => {
  const last_modified = U64.clamp(modifiedSeconds(stats, statSync, path))
  if (stats.isFile()) return O.some({ type: 'file', size: U64.clamp(stats.size), last_modified })
  return stats.isDirectory() ? O.some({ type: 'dir', last_modified }) : O.none
}
