import { StoragePath } from '@canopy/domain'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { worldRequest } from '../src/arbitraries/arbitraries.js'
import { pathsOf, world } from '../src/arbitraries/worlds.js'
import { target } from '../src/scenarios/Scenario.js'
import type { WorldNode } from '../src/World.js'

const distinct = (all: ReadonlyArray<string>): boolean => new Set(all).size === all.length

const directoriesOf = (nodes: ReadonlyArray<WorldNode>): ReadonlyArray<ReadonlyArray<WorldNode>> => [
  nodes,
  ...nodes.flatMap((node) => (node.type === 'dir' ? directoriesOf(node.content) : [])),
]

it('an arbitrary world has unique accounts, tokens, triggers, settings and siblings, legal paths, and two names of which one begins with the other', () => {
  fc.assert(
    fc.property(world(), ({ accounts, triggers }) => {
      expect(distinct(accounts.map(({ id }) => id))).toBe(true)
      expect(distinct(accounts.flatMap(({ tokens }) => tokens.map(({ token }) => token)))).toBe(true)
      expect(distinct(triggers.map(({ id }) => id))).toBe(true)
      for (const { area, settings, tokens } of accounts) {
        expect(distinct(settings.map(({ path }) => path))).toBe(true)
        for (const path of [...pathsOf(area), ...settings.map((s) => s.path), ...tokens.map((t) => t.scope)])
          expect(path).toSatisfy(StoragePath.is)
        if (area === 'missing') continue
        for (const siblings of directoriesOf(area)) expect(distinct(siblings.map(({ name }) => name))).toBe(true)
        const names = area.map(({ name }) => name)
        expect(names.some((name) => names.some((other) => other !== name && other.startsWith(name)))).toBe(true)
      }
    }),
  )
})

it('an arbitrary world keeps to the sizes and times that a disk can hold', () => {
  const bounds = { maxSize: 100n, maxTime: 5n }
  fc.assert(
    fc.property(world(bounds), ({ accounts }) => {
      for (const { area } of accounts)
        for (const node of area === 'missing' ? [] : directoriesOf(area).flat()) {
          const { size, last_modified } = { size: 0n, last_modified: 0n, ...node }
          expect([size <= bounds.maxSize, last_modified <= bounds.maxTime]).toStrictEqual([true, true])
        }
    }),
  )
})

it('an arbitrary world is asked with targets that HTTP can carry, with bounds and without', () => {
  const targets = fc
    .sample(
      world().chain((any) => worldRequest(any)),
      300,
    )
    .map(target)
  expect(targets.filter((each) => !/^\/api\/[!-~]+$/.test(each))).toEqual([])
  for (const bound of ['?depth=0', '?depth=3', '?limit=1', 'after='])
    expect([bound, targets.some((each) => each.includes(bound))]).toEqual([bound, true])
  expect(targets.some((each) => !each.includes('?'))).toBe(true)
})
