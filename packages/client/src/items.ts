import type { DirectoryItem } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Page } from './Page.js'
import { pages } from './pages.js'

type Item<F> = E.Either<F, DirectoryItem.DirectoryItem>

async function* walk<F>(first: TE.TaskEither<F, Page<F>>): AsyncGenerator<Item<F>, void> {
  for await (const page of pages(first)) {
    if (E.isLeft(page)) yield page
    else yield* page.right.items.map((item) => E.right(item))
  }
}

/** The items of a page and of all that follow it. Ends after the last item or the first `left`. */
export const items = <F>(first: TE.TaskEither<F, Page<F>>): AsyncIterable<Item<F>> => ({
  [Symbol.asyncIterator]: () => walk(first),
})
