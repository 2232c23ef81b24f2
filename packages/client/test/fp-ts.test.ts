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
  respond,
  respondWithLastPage,
  respondWithPage,
  token,
  visitor,
  withStub,
} from './stubService.js'

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
  await withStub(inSequence(respondWithPage('b', 'a', 'b'), respondWithLastPage('c')), async (canopy) => {
    const secondPage = pipe(
      toTaskEitherClient(canopy).storageDirItems(ofOwner),
      TE.flatMap(({ next }) => (O.isSome(next) ? next.value : TE.left({ error: 'aborted' as const }))),
      TE.map(({ items, next }) => [items.map(({ name }) => name), next]),
    )
    expect(await secondPage()).toEqual(E.right([['c'], O.none]))
  })
})

it('a loop yields rights until its first left, and sends no request after a break', async () => {
  const page = respondWithPage('b', 'a', 'b')
  const failing = inSequence(page, respond(502, error('external')), page)
  await withStub(failing, async (canopy, { targets }) => {
    const tasks = toTaskEitherClient(canopy)
    const all = await collect(tasks.storageItems(ofOwner))
    expect(all.map(E.map(({ name }) => name))).toEqual([E.right('a'), E.right('b'), E.left({ error: 'external' })])
    for await (const each of tasks.storagePages(ofOwner)) {
      expect(E.isRight(each)).toBe(true)
      break
    }
    expect(targets.length).toBe(3)
  })
})
