import { StoragePath } from '@canopy/domain'
import * as fc from 'fast-check'
import { spelling } from './spelling.js'
import { storagePath } from './storagePath.js'

/** A raw tail of a request target, and what it names. */
export interface SpelledPath extends StoragePath.RequestedPath {
  readonly raw: string
}

/** Any spelling of one of these paths, with a trailing slash or without. */
export const spelledPathOf = (path: fc.Arbitrary<StoragePath.StoragePath>): fc.Arbitrary<SpelledPath> =>
  fc.record({ path, spell: spelling, slash: fc.boolean() }).map(({ path: at, spell, slash }) => ({
    path: at,
    mustBeDirectory: slash || at === StoragePath.root,
    raw: StoragePath.segments(at)
      .map((name) => `/${spell(name)}`)
      .join('')
      .concat(slash ? '/' : ''),
  }))

export const spelledPath: fc.Arbitrary<SpelledPath> = spelledPathOf(storagePath)
