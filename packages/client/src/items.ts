import type { DirectoryItem } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { CallOptions } from './asking.js'
import type { Page } from './Page.js'
import { pages } from './pages.js'
import { type Aborted, aborted } from './TransportFailure.js'

type Item<F> = E.Either<F | Aborted, DirectoryItem.DirectoryItem>

async function* walk<F>(first: TE.TaskEither<F, Page<F>>, signal?: AbortSignal): AsyncGenerator<Item<F>, void> {
  for await (const page of pages(first)) {
    if (E.isLeft(page)) return yield page
    for (const item of page.right.items) {
      if (signal?.aborted === true) return yield E.left(aborted)
      yield E.right(item)
    }
  }
}

/**
 * The items of a page and of all that follow it. Ends after the last item or the first `left`. With the signal of the
 * call, aborting ends it between the items of a page too.
 */
export const items = <F>(
  first: TE.TaskEither<F, Page<F>>,
  { signal }: Pick<CallOptions, 'signal'> = {},
): AsyncIterable<Item<F>> => ({
  [Symbol.asyncIterator]: () => walk(first, signal),
})
