import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { taskEitherClient } from '../src/fp-ts.js'
import { against, collected, emptyTree, error, inTurn, item, listingOf, saying, token, visitor } from './answering.js'

const linked = saying(200, listingOf(item('a'), item('b')), { Link: '<?limit=2&after=b>; rel="next"' })
const last = saying(200, listingOf(item('c')))
const names = { ...visitor, limit: 2 }

describe('an operation as a TaskEither', () => {
  it('asks when it runs, and again each time it runs', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      const program = taskEitherClient(canopy).userContentTree(visitor)
      expect(targets).toEqual([])
      expect(await program()).toEqual(await program())
      expect(await program()).toMatchObject(E.right({ type: 'dir' }))
      expect(targets.length).toBe(3)
    })
  })

  it('has its failure on the left: of the service, and of what was given', async () => {
    await against(saying(404, error('file not found')), async (canopy) => {
      const tasks = taskEitherClient(canopy)
      expect(await tasks.storageTree({ token, path: '/' })()).toEqual(E.left({ error: 'file not found' }))
      expect(await tasks.userContentDirItems(visitor)()).toEqual(E.left({ error: 'file not found' }))
      expect(await tasks.triggerPeek({ id: '' })()).toMatchObject(E.left({ error: 'malformed input' }))
    })
    await against(saying(404, error('trigger not found')), async (canopy) => {
      expect(await taskEitherClient(canopy).triggerPeek({ id: 'x' })()).toEqual(E.left({ error: 'trigger not found' }))
    })
  })

  it('gives a page with the TaskEither of the next one', async () => {
    await against(inTurn(linked, last), async (canopy) => {
      const pageNames = pipe(
        taskEitherClient(canopy).storageDirItems({ token, path: '/', limit: 2 }),
        TE.flatMap(({ next }) => (O.isSome(next) ? next.value : TE.left({ error: 'aborted' as const }))),
        TE.map(({ items, next }) => [items.map(({ name }) => name), next]),
      )
      expect(await pageNames()).toEqual(E.right([['c'], O.none]))
    })
  })
})

describe('a loop of Eithers', () => {
  it('yields all items and pages', async () => {
    await against(inTurn(linked, last, linked, last), async (canopy) => {
      const tasks = taskEitherClient(canopy)
      const items = await collected(tasks.userContentItems(names))
      expect(items.map(E.map(({ name }) => name))).toEqual(['a', 'b', 'c'].map(E.right))
      const pages = await collected(tasks.storagePages({ token, path: '/', limit: 2 }))
      expect(pages.map(E.map(({ items: found }) => found.length))).toEqual([2, 1].map(E.right))
    })
  })

  it('ends after its first left', async () => {
    await against(inTurn(linked, saying(502, error('external'))), async (canopy) => {
      const tasks = taskEitherClient(canopy)
      const all = await collected(tasks.storageItems({ token, path: '/', limit: 2 }))
      expect(all.map(E.map(({ name }) => name))).toEqual([E.right('a'), E.right('b'), E.left({ error: 'external' })])
    })
  })

  it('asks for nothing more once it is left', async () => {
    await against(linked, async (canopy, { targets }) => {
      for await (const page of taskEitherClient(canopy).userContentPages(names)) {
        expect(E.isRight(page)).toBe(true)
        break
      }
      expect(targets.length).toBe(1)
    })
  })
})
