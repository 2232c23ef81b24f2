import { Name } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'

// A leading U+FEFF is part of a name, not a mark to be dropped.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The name that these bytes spell, each byte a character (latin1); `none` when they are not valid UTF-8. */
export const nameOfBytes = (bytes: string): O.Option<Name.Name> =>
  /[^\0-\x7f]/.test(bytes)
    ? pipe(
        O.tryCatch(() => utf8.decode(Buffer.from(bytes, 'latin1'))),
        O.flatMap(Name.fromString),
      )
    : Name.fromString(bytes)
