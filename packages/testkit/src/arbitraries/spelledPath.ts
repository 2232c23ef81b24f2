import { StoragePath } from '@canopy/domain'
import * as fc from 'fast-check'
import { spelling } from './spelling.js'
import { storagePath } from './storagePath.js'

/** A raw tail of a request target, and what it names. */
export interface SpelledPath extends StoragePath.RequestedPath {
  readonly raw: string
}

/** Any spelling of a path, with a trailing slash or without. */
export const spelledPath: fc.Arbitrary<SpelledPath> = fc
  .record({ path: storagePath, spell: spelling, slash: fc.boolean() })
  .map(({ path, spell, slash }) => ({
    path,
    mustBeDirectory: slash || path === StoragePath.root,
    raw: StoragePath.segments(path)
      .map((name) => `/${spell(name)}`)
      .join('')
      .concat(slash ? '/' : ''),
  }))
