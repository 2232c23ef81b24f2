import { StoragePath } from '@canopy/domain'
import * as fc from 'fast-check'
import { type Spelling, separator, spelling } from './spelling.js'
import { storagePath } from './storagePath.js'

/** A raw tail of a request target, and what it names. */
export interface SpelledPath extends StoragePath.RequestedPath {
  readonly raw: string
}

/** The slash that ends the token or the user id is always a plain one. */
export const rawOf = (path: StoragePath.StoragePath, spell: Spelling, separator: string, slash: boolean): string => {
  const names = StoragePath.segments(path).map(spell)
  return names.length === 0 ? (slash ? '/' : '') : `/${names.join(separator)}${slash ? separator : ''}`
}

/** Any spelling of a path, with a trailing slash or without. */
export const spelledPath: fc.Arbitrary<SpelledPath> = fc
  .record({ path: storagePath, spell: spelling, separator, slash: fc.boolean() })
  .map(({ path, spell, separator, slash }) => ({
    path,
    mustBeDirectory: slash || path === StoragePath.root,
    raw: rawOf(path, spell, separator, slash),
  }))
