import { Failure, type Listing, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { changeLaws } from '../../src/laws/changeLaws.js'
import { type Break, seedBroken } from './brokenStorage.js'
import { type BrokenBy, misjudged } from './misjudged.js'

type Answers = E.Either<unknown, unknown>

/** Caches for ever the answers that `isKept` selects. */
const caching =
  (isKept: (answer: Answers, call: string) => boolean): Break =>
  (ports) => {
    const kept = new Map<string, Answers>()
    const cached = async <A extends Answers>(port: string, path: string, ask: () => Promise<A>): Promise<A> => {
      const key = `${port} ${path}`
      const answer = (kept.get(key) as A | undefined) ?? (await ask())
      if (isKept(answer, key)) kept.set(key, answer)
      return answer
    }
    return {
      nodeAt: (area, path) => () => cached('nodeAt', path, ports.nodeAt(area, path)),
      list: (area, path, options) => () => cached('list', path, ports.list(area, path, options)),
    }
  }

const cachingAt = (call: string): Break => caching((_, each) => each === call)

const eager: Break = (ports) => ({
  ...ports,
  list: (...args) => {
    const answer = ports.list(...args)()
    return () => answer
  },
})

/** Examines each entry after it has read the names, and fails where one is gone. */
const failsForVanished: Break = (ports) => ({
  ...ports,
  list: (area, path, options) => async () => {
    const listed = await ports.list(area, path, options)()
    if (E.isLeft(listed)) return listed
    for (const { name } of listed.right.entries) {
      const at = `${path === StoragePath.root ? '' : path}/${name}` as StoragePath.StoragePath
      if (E.isLeft(await ports.nodeAt(area, at)())) return E.left(Failure.external(new Error('ENOENT')))
    }
    return listed
  },
})

const endsWhereTheNameIsGone: Break = (ports) => ({
  ...ports,
  list:
    (area, path, options = {}) =>
    async () => {
      const listed = await ports.list(area, path)()
      if (E.isLeft(listed) || options.after === undefined) return listed
      const all = [...listed.right.entries]
      const start = all.findIndex(({ name }) => name === options.after)
      const listing: Listing.Listing = { ...listed.right, entries: start < 0 ? [] : all.slice(start) }
      return E.right(listing)
    },
})

const broken: BrokenBy<Break> = {
  'a port reads the storage when its task runs, and again in each run': [eager, caching(() => true)],
  'a changed file has its new size': [
    caching((answer, call) => call.startsWith('nodeAt') && E.isRight(answer)),
    caching((answer, call) => call.startsWith('list') && E.isRight(answer)),
  ],
  'a new node is found and listed': caching(E.isLeft),
  'a removed node is `file not found`, and not listed': [cachingAt('nodeAt /d/e/x'), cachingAt('list /d/e')],
  'a file that replaces a directory is a file': [cachingAt('nodeAt /d/e'), cachingAt('nodeAt /d/e/x')],
  'an entry that vanishes during a listing hides no other entry': failsForVanished,
  'pages continue after a name that is removed': endsWhereTheNameIsGone,
}

it.each(changeLaws)('passes the reference and fails each broken storage: $name', async (law) => {
  expect(await law.violations(seedBroken((right) => right, 3))).toEqual([])
  expect(await misjudged(law, seedBroken, broken)).toEqual([])
})
