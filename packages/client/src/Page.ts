import type { DirectoryItem } from '@canopy/domain'
import type * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** Items of a directory, and the way to those after them. */
export interface Page<F> {
  readonly items: ReadonlyArray<DirectoryItem.DirectoryItem>
  /** `none` on the last page. Asks with the limit, the signal and the timeout of the first. */
  readonly next: O.Option<TE.TaskEither<F, Page<F>>>
}
