import { explainVisibility, Settings, StoragePath, Visibility } from '@canopy/domain'
import { runs } from '@canopy/test-support'
import fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { expect, it } from 'vitest'
import { type ChainNode, reasonOf } from '../src/visitor.js'

const names = fc.array(fc.constantFrom('a', 'b'), { maxLength: 5 })

const pathOf = (segments: ReadonlyArray<string>): StoragePath.StoragePath =>
  O.getOrElse(() => StoragePath.root)(StoragePath.fromString(`/${segments.join('/')}`))

/** Of the path, of one above it, or any other. */
const settingPath = (path: ReadonlyArray<string>) =>
  fc.oneof(
    fc.nat(path.length).map((depth) => pathOf(path.slice(0, depth))),
    names.map(pathOf),
  )

const world = names.chain((path) =>
  fc.record({
    path: fc.constant(path),
    settings: fc.array(fc.tuple(settingPath(path), fc.constantFrom(...Visibility.all))).map(Settings.fromEntries),
    /** The number of ancestors above the token's scope. */
    above: fc.oneof(fc.constant(0), fc.nat(path.length)),
  }),
)

const chainOf = (settings: Settings.Settings, path: ReadonlyArray<string>, above: number): ReadonlyArray<ChainNode> =>
  ['', ...path].map((name, depth) => ({
    name,
    visibility: depth < above ? undefined : Settings.visibilityAt(settings, pathOf(path.slice(0, depth))),
  }))

it('the reason for a visibility equals that of the domain, as far as the scope shows settings', () => {
  fc.assert(
    fc.property(world, ({ path, settings, above }) => {
      const paths = ['', ...path].map((_, depth) => pathOf(path.slice(0, depth)))
      const explained = paths.map((each) => explainVisibility(settings, each))
      const own = explainVisibility(settings, pathOf(path))
      const reason = reasonOf(chainOf(settings, path, above))
      const decider = paths.indexOf(O.isNone(own.decidedBy) ? StoragePath.root : own.decidedBy.value.path)
      expect(reason?.decidedByIndex).toBe(decider < above ? undefined : decider)
      expect(reason?.access === 'private').toBe(!own.reachable)
      const isOpen = explained.every(({ reachable, listed }, depth) => (depth === 0 ? reachable : listed))
      expect(reason?.access === 'everyone').toBe(isOpen && above === 0)
      const isListed = own.reachable && (path.length === 0 || own.listed)
      const isListedHere = reason?.access === 'everyone' || reason?.access === 'listed'
      expect(above > 0 || isListedHere === isListed).toBe(true)
    }),
    { numRuns: runs(2000) },
  )
})

it('the reason for a visibility is unknown if the visibility of the node is unknown', () => {
  expect(reasonOf([{ name: '', visibility: undefined }])).toBeUndefined()
  expect(reasonOf([])).toBeUndefined()
})
