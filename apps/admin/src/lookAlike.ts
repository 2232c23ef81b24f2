import { type Area, type ListEnv, type Name, type NodeAtEnv, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as Existence from './Existence.js'

/** Equal for names that a file system may take for the same: in case, in Unicode form, by dots and spaces at the end. */
const folded = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[. ]+$/, '')

/**
 * The path whose names directories list, and that differs from this one only in case or form; `none` when there is no such
 * path, or when this one itself is listed.
 */
const lookAlike =
  ({ list }: ListEnv) =>
  (area: Area.Area, path: StoragePath.StoragePath): T.Task<O.Option<StoragePath.StoragePath>> =>
  async () => {
    let at = StoragePath.root
    for (const name of StoragePath.segments(path)) {
      const listing = await list(area, at)()
      if (E.isLeft(listing)) return O.none
      let like: Name.Name | undefined
      for (const entry of listing.right.entries) {
        if (entry.name === name) like = name
        else if (like === undefined && folded(entry.name) === folded(name)) like = entry.name
      }
      const next = like === undefined ? O.none : StoragePath.child(at, like)
      if (O.isNone(next)) return O.none
      at = next.value
    }
    return at === path ? O.none : O.some(at)
  }

/** Whether a node is at a path, and what else may have been meant where none is. */
export const existenceAndLookAlike =
  (storage: NodeAtEnv & ListEnv) =>
  (
    area: Area.Area,
    path: StoragePath.StoragePath,
  ): T.Task<{ readonly existence: Existence.Existence; readonly lookAlike: O.Option<StoragePath.StoragePath> }> =>
  async () => {
    const existence = await Existence.of(storage)(area, path)()
    return { existence, lookAlike: Existence.isMissing(existence) ? await lookAlike(storage)(area, path)() : O.none }
  }

/** For an operator who may have meant the other path. */
export const didYouMean = (
  path: StoragePath.StoragePath,
  other: O.Option<StoragePath.StoragePath>,
): ReadonlyArray<string> =>
  O.isNone(other) ? [] : [`there is no ${path}; its directory lists ${other.value}: did you mean that?`]

/** A field of the JSON, when there is a look-alike. */
export const lookAlikeJson = (other: O.Option<StoragePath.StoragePath>): { readonly lookAlike?: string } =>
  O.isNone(other) ? {} : { lookAlike: other.value }
