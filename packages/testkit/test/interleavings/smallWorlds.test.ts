import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { mutableMemory } from '../../src/memoryPorts.js'
import { model } from '../../src/model.js'
import { byToken, byUser } from '../../src/scenarios/Scenario.js'
import { dir, file, type World, type WorldNode, type WorldSetting } from '../../src/World.js'

const names = ['a', 'b', 'c', 'd']
const token = `cnp_${'A'.repeat(43)}`

/** A node before it has a name: a file, or a directory with its children. */
type Shape = 'file' | ReadonlyArray<Shape>

/** All unordered forests of this many nodes. */
const shapes = (count: number): ReadonlyArray<ReadonlyArray<Shape>> => {
  if (count === 0) return [[]]
  const all = Array.from({ length: count }, (_, index) => index + 1).flatMap((size) =>
    nodesOf(size).flatMap((first) => shapes(count - size).map((others) => [first, ...others])),
  )
  return all.filter((list) =>
    list.every((shape, at) => at === 0 || JSON.stringify(list[at - 1]) <= JSON.stringify(shape)),
  )
}

const nodesOf = (size: number): ReadonlyArray<Shape> => (size === 1 ? ['file', ...shapes(0)] : shapes(size - 1))

const named = (list: ReadonlyArray<Shape>): ReadonlyArray<WorldNode> =>
  list.map((shape, at) => (shape === 'file' ? file(names[at] ?? '') : dir(names[at] ?? '', ...named(shape))))

const pathsIn = (nodes: ReadonlyArray<WorldNode>, top = ''): ReadonlyArray<string> =>
  nodes.flatMap((node) => [
    `${top}/${node.name}`,
    ...(node.type === 'dir' ? pathsIn(node.content, `${top}/${node.name}`) : []),
  ])

/** All sets of at most two settings on these paths. */
const settingsOn = (paths: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<WorldSetting>> => {
  const visibilities = ['public', 'hidden', 'private'] as const
  const singles = paths.flatMap((path) => visibilities.map((visibility) => ({ path, visibility })))
  const pairs = singles.flatMap((first, at) => singles.slice(at + 1).map((second) => [first, second] as const))
  return [[], ...singles.map((one) => [one]), ...pairs.filter(([first, second]) => first.path !== second.path)]
}

/** All sets of at most one setting and of one rule, whose pattern matches nodes of one name or all. */
const settingsAndRule = (paths: ReadonlyArray<string>) => {
  const patterns = ['*', ...names.filter((name) => paths.some((path) => path.endsWith(`/${name}`)))]
  return settingsOn(paths)
    .filter(({ length }) => length <= 1)
    .flatMap((settings) =>
      patterns.flatMap((pattern) =>
        (['hidden', 'private'] as const).map((visibility) => ({ settings, rules: [{ pattern, visibility }] })),
      ),
    )
}

/** Every world of up to four nodes and two settings on them or on the root, or one setting and one rule, up to the names. */
const smallWorlds = (): ReadonlyArray<{ readonly world: World; readonly paths: ReadonlyArray<string> }> =>
  [0, 1, 2, 3, 4].flatMap(shapes).flatMap((list) => {
    const area = named(list)
    const paths = pathsIn(area)
    const places = ['/', ...paths]
    return [...settingsOn(places).map((settings) => ({ settings })), ...settingsAndRule(places)].map((set) => ({
      world: {
        accounts: [{ id: '1', verified: true, tokens: [{ token, scope: '/', state: 'valid' as const }], ...set, area }],
        triggers: [],
      },
      paths,
    }))
  })

const [owner, visitor] = [byToken(token), byUser('1')]

/** `npm test` takes every third of the largest worlds. */
const isEveryday = process.env['CANOPY_TEST'] === 'everyday'
const worlds = smallWorlds().filter(({ paths }, index) => !isEveryday || paths.length < 4 || index % 3 === 0)

it('every small world is answered as the model says', async () => {
  let requests = 0
  const different: Array<unknown> = []
  for (const [index, { world, paths }] of worlds.entries()) {
    // Neighbouring worlds have the same nodes.
    const ports = mutableMemory(index % 2 === 0 ? {} : { pageEntries: 1 })(() => world)
    for (const ask of [owner.tree(), visitor.items(), ...['', ...paths].map((path) => visitor.tree(path))]) {
      requests += 1
      const [expected, found] = [model(world, ask), await askInProcess(ports)(ask)]
      if (!isDeepStrictEqual(expected, found)) different.push({ world, ask, expected, found })
    }
  }
  expect(different.slice(0, 1)).toEqual([])
  expect(requests).toBeGreaterThan(isEveryday ? 20_000 : 60_000)
})
