import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { toTaskEitherClient } from '../src/fp-ts.js'
import {
  collect,
  emptyTree,
  error,
  inSequence,
  item,
  listingOf,
  respond,
  token,
  visitor,
  withStub,
} from './stubService.js'

const respondWithPage = respond(200, listingOf(item('a'), item('b')), { Link: '<?limit=2&after=b>; rel="next"' })
const respondWithLastPage = respond(200, listingOf(item('c')))
const ofOwner = { token, path: '/', limit: 2 }

it('a TaskEither sends a request for each run', async () => {
  await withStub(respond(200, emptyTree), async (canopy, { targets }) => {
    const program = toTaskEitherClient(canopy).userContentTree(visitor)
    expect(targets).toEqual([])
    expect(await program()).toEqual(await program())
    expect(await program()).toMatchObject(E.right({ type: 'dir' }))
    expect(targets.length).toBe(3)
  })
})

it('a page has the TaskEither of the next page', async () => {
  await withStub(inSequence(respondWithPage, respondWithLastPage), async (canopy) => {
    const secondPage = pipe(
      toTaskEitherClient(canopy).storageDirItems(ofOwner),
      TE.flatMap(({ next }) => (O.isSome(next) ? next.value : TE.left({ error: 'aborted' as const }))),
      TE.map(({ items, next }) => [items.map(({ name }) => name), next]),
    )
    expect(await secondPage()).toEqual(E.right([['c'], O.none]))
  })
})

it('a loop yields rights until its first left, and sends no request after a break', async () => {
  const failing = inSequence(respondWithPage, respond(502, error('external')), respondWithPage)
  await withStub(failing, async (canopy, { targets }) => {
    const tasks = toTaskEitherClient(canopy)
    const all = await collect(tasks.storageItems(ofOwner))
    expect(all.map(E.map(({ name }) => name))).toEqual([E.right('a'), E.right('b'), E.left({ error: 'external' })])
    for await (const page of tasks.storagePages(ofOwner)) {
      expect(E.isRight(page)).toBe(true)
      break
    }
    expect(targets.length).toBe(3)
  })
})
