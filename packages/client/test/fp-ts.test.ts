import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
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
const names = { ...visitor, limit: 2 }

describe('an operation as a TaskEither', () => {
  it('sends a request for each run', async () => {
    await withStub(respond(200, emptyTree), async (canopy, { targets }) => {
      const program = toTaskEitherClient(canopy).userContentTree(visitor)
      expect(targets).toEqual([])
      expect(await program()).toEqual(await program())
      expect(await program()).toMatchObject(E.right({ type: 'dir' }))
      expect(targets.length).toBe(3)
    })
  })

  it('has the failures of the service and of malformed input on the left', async () => {
    await withStub(respond(404, error('file not found')), async (canopy) => {
      const tasks = toTaskEitherClient(canopy)
      expect(await tasks.storageTree({ token, path: '/' })()).toEqual(E.left({ error: 'file not found' }))
      expect(await tasks.userContentDirItems(visitor)()).toEqual(E.left({ error: 'file not found' }))
      expect(await tasks.triggerPeek({ id: '' })()).toMatchObject(E.left({ error: 'malformed input' }))
    })
    await withStub(respond(404, error('trigger not found')), async (canopy) => {
      expect(await toTaskEitherClient(canopy).triggerPeek({ id: 'x' })()).toEqual(
        E.left({ error: 'trigger not found' }),
      )
    })
  })

  it('resolves to a page with the TaskEither of the next page', async () => {
    await withStub(inSequence(respondWithPage, respondWithLastPage), async (canopy) => {
      const pageNames = pipe(
        toTaskEitherClient(canopy).storageDirItems({ token, path: '/', limit: 2 }),
        TE.flatMap(({ next }) => (O.isSome(next) ? next.value : TE.left({ error: 'aborted' as const }))),
        TE.map(({ items, next }) => [items.map(({ name }) => name), next]),
      )
      expect(await pageNames()).toEqual(E.right([['c'], O.none]))
    })
  })
})

describe('a loop of Eithers', () => {
  it('yields all items and pages', async () => {
    await withStub(
      inSequence(respondWithPage, respondWithLastPage, respondWithPage, respondWithLastPage),
      async (canopy) => {
        const tasks = toTaskEitherClient(canopy)
        const items = await collect(tasks.userContentItems(names))
        expect(items.map(E.map(({ name }) => name))).toEqual(['a', 'b', 'c'].map(E.right))
        const pages = await collect(tasks.storagePages({ token, path: '/', limit: 2 }))
        expect(pages.map(E.map(({ items: found }) => found.length))).toEqual([2, 1].map(E.right))
      },
    )
  })

  it('ends after its first left', async () => {
    await withStub(inSequence(respondWithPage, respond(502, error('external'))), async (canopy) => {
      const tasks = toTaskEitherClient(canopy)
      const all = await collect(tasks.storageItems({ token, path: '/', limit: 2 }))
      expect(all.map(E.map(({ name }) => name))).toEqual([E.right('a'), E.right('b'), E.left({ error: 'external' })])
    })
  })

  it('sends no request after a break', async () => {
    await withStub(respondWithPage, async (canopy, { targets }) => {
      for await (const page of toTaskEitherClient(canopy).userContentPages(names)) {
        expect(E.isRight(page)).toBe(true)
        break
      }
      expect(targets.length).toBe(1)
    })
  })
})
