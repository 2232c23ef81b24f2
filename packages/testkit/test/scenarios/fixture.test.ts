import { describe, expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { conversations } from '../../src/scenarios/conversations.js'
import { httpScenarios } from '../../src/scenarios/httpScenarios.js'
import { fixture, scenarios } from '../../src/scenarios/scenarios.js'
import { memoryPorts, type WorldNode } from '../../src/World.js'

const twice = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text, index) => texts.indexOf(text) !== index)

const flat = (nodes: ReadonlyArray<WorldNode>): ReadonlyArray<WorldNode> =>
  nodes.flatMap((node) => (node.type === 'dir' ? [node, ...flat(node.content)] : [node]))

const files = (everyU64: boolean) =>
  fixture(everyU64)
    .accounts.flatMap(({ area }) => (area === 'missing' ? [] : flat(area)))
    .filter((node) => node.type === 'file')

describe('the fixture', () => {
  const { accounts, triggers } = fixture(true)

  it('has accounts, tokens and triggers of which no two are the same', () => {
    expect(twice(accounts.map(({ id }) => id))).toEqual([])
    expect(twice(accounts.flatMap(({ tokens }) => tokens.map(({ token }) => token)))).toEqual([])
    expect(twice(triggers.map(({ id }) => id))).toEqual([])
  })

  it.each(scenarios)('answers as the world of the scenario: $name', async ({ ask, answer }) => {
    expect(await askInProcess(memoryPorts(fixture(true)))(ask)).toEqual(answer)
  })

  it('holds nothing that no disk could hold, unless it is asked to', () => {
    expect(files(false).filter(({ size, last_modified }) => size > 2n ** 44n || last_modified > 2n ** 33n)).toEqual([])
    expect(files(true).map(({ size }) => size)).toContain(2n ** 64n - 1n)
  })
})

describe('the sentences about HTTP', () => {
  it('have names of their own', () => {
    expect(twice([...httpScenarios, ...conversations].map(({ name }) => name))).toEqual([])
  })
})
