import { U64 } from '@canopy/domain'
import { describe, expect, it } from 'vitest'
import { type Dependent, Watches } from '../../src/cache/Watches.js'
import { areaAt, at } from '../temporaryArea.js'

/** Watches whose changes a test reports by the path of the directory, and the listings that depend on them. */
const watchesFor = (isWatched: (directory: string) => boolean = () => true) => {
  const began: Array<string> = []
  const watched = new Map<string, (name: string | undefined) => void>()
  const begin = (directory: string, changed: (name: string | undefined) => void) => {
    began.push(directory)
    if (!isWatched(directory)) return undefined
    watched.set(directory, changed)
    const end = (): void => void watched.delete(directory)
    return end
  }
  const stale: Array<string> = []
  const watches = new Watches(
    {
      above: ({ location }) => [
        { directory: '/', name: 'srv' },
        { directory: '/srv', name: location.slice(0, 1) },
        ...(location.startsWith('deep') ? [{ directory: `/srv/${location}`, name: 'area' }] : []),
      ],
      watchAbove: (directory, changed) => begin(directory, changed),
      watch: ({ location }, path, changed) => begin(`/srv/${location}${path === '/' ? '' : path}`, changed),
      root: () => ({ identity: '', node: { type: 'dir', last_modified: U64.zero } }),
    },
    (listing) => {
      stale.push(listing.key)
      watches.release(listing)
    },
  )
  const listingOf = (path: string, location = '1'): Dependent => {
    const place = { area: areaAt(location), root: '', path: at(path) }
    return { place, key: path, isStale: false }
  }
  return {
    began,
    watched,
    stale,
    depend: (path: string, location?: string) => {
      const listing = listingOf(path, location)
      return { listing, isWatched: watches.depend(listing, at(path)) }
    },
    release: (listing: Dependent) => watches.release(listing),
    count: () => watches.count(),
    /** In areas, not above them. */
    watchedInAreas: () => [...watched.keys()].filter((directory) => !['/', '/srv'].includes(directory)),
    change: (directory: string, name?: string) => watched.get(directory)?.(name),
  }
}

describe('the watches of a listing', () => {
  it.each(['/', '/srv', '/srv/1', '/srv/1/a', '/srv/1/a/b'])('fail as a whole if %s cannot be watched', (unwatched) => {
    const { watchedInAreas, depend, count } = watchesFor((directory) => directory !== unwatched)
    expect(depend('/a/b').isWatched).toBe(false)
    expect([watchedInAreas(), count()]).toEqual([[], 0])
  })

  it.each<[string, string | undefined, ReadonlyArray<string>]>([
    ['/srv/1/a/b', 'x', ['/a/b']],
    ['/srv/1/a', 'b', ['/a', '/a/b']],
    ['/srv/1/a', undefined, ['/a', '/a/b', '/a/c']],
    ['/srv/1', 'a', ['/a', '/a/b', '/a/c']],
    ['/srv/1', 'x', []],
    ['/srv', '1', ['/a', '/a/b', '/a/c']],
    ['/srv', '2', ['/z']],
    ['/', 'srv', ['/a', '/a/b', '/a/c', '/z']],
    ['/', undefined, ['/a', '/a/b', '/a/c', '/z']],
  ])('report a change in %s of %s', (directory, name, invalidated) => {
    const { depend, change, release, stale } = watchesFor()
    for (const path of ['/a', '/a/b', '/a/c']) depend(path)
    depend('/z', '2')
    // The watches above it stay for the others.
    release(depend('/x').listing)
    change(directory, name)
    expect(stale.sort()).toEqual(invalidated)
  })

  it('report a change to each of two areas that are the same directory', () => {
    const { depend, change, release, stale, watchedInAreas } = watchesFor()
    const { listing } = depend('/a', '1')
    depend('/b', '1 by a link')
    depend('/c', '1 by a link')
    release(listing)
    change('/srv', '1')
    expect(stale.sort()).toEqual(['/b', '/c'])
    expect(watchedInAreas()).toEqual([])
  })
})

it.each([
  ['the directory was replaced', '/', 'srv'],
  ['the directory above it changed itself', '/', undefined],
  ['its own watch failed', '/srv', undefined],
])('the watches above areas are kept while nothing depends on them, and begin again if %s', (_, directory, name) => {
  const { began, depend, release, change } = watchesFor()
  for (let round = 0; round < 3; round += 1) release(depend('/a').listing)
  expect(began.filter((each) => each === '/srv')).toHaveLength(1)
  change(directory, name)
  began.splice(0)
  depend('/a')
  expect(began).toContain('/srv')
})

it('the watches above areas end from the oldest on when there are many', () => {
  const { watched, depend, release } = watchesFor()
  for (let area = 0; area < 100; area += 1) release(depend('/a', `deep ${area}`).listing)
  expect(watched.size).toBeLessThanOrEqual(64)
})
