import { readFileSync } from 'node:fs'
import { Failure } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { failEachCall, failsHonestly } from '../../src/faults.js'
import { storageLaws, storageLawsWithin } from '../../src/laws/storageLaws.js'
import { memoryPorts } from '../../src/memoryPorts.js'
import { scenarios } from '../../src/scenarios/scenarios.js'
import type { SeedStorage, StoragePorts } from '../../src/World.js'
import { seedDocument } from './seedDocument.js'

const textAt = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

const document = textAt('../../../../docs/write-an-adapter.md')

/** Each block of code, by the name of its file, which is above it. */
const blocks = [...document.matchAll(/^`(\S+)`\n\n```ts\n(.*?)^```$/gms)].map(([, name, code]) => [name ?? '', code])

/** The adapter without the question `throughFile`. */
const withoutThroughFile: SeedStorage = async (...both) => {
  const { ports, ...seeded } = await seedDocument(...both)
  const nodeAt: StoragePorts['nodeAt'] = (area, path) =>
    pipe(
      ports.nodeAt(area, path),
      TE.mapLeft((failure) => (failure.error === 'type mismatch' ? Failure.fileNotFound : failure)),
    )
  return { ...seeded, ports: { ...ports, nodeAt } }
}

const violated = async (seed: SeedStorage, laws = storageLaws) => {
  const found: Array<readonly [law: string, violations: ReadonlyArray<string>]> = []
  for (const { name, violations } of laws) found.push([name, await violations(seed)])
  return new Map(found.filter(([, violations]) => violations.length > 0))
}

describe('the page on writing an adapter', () => {
  it('shows an adapter, its seeding and its test as they run here, character for character, and leads to the others', () => {
    const names = ['documentStorage.ts', 'seedDocument.ts', 'documentStorage.test.ts']
    expect(blocks).toEqual(names.map((name) => [name, textAt(`./${name}`)]))
    for (const name of ['documentTriggers.ts', 'documentTriggers.test.ts', 'documentService.test.ts'])
      expect(document).toContain(`](../packages/testkit/test/docs/${name})`)
    expect(document.match(/^```ts$/gm)?.length).toBe(blocks.length)
  })

  it('shows what a law says of the adapter when a line is taken out', async () => {
    const law = 'a path through a file is `type mismatch`'
    const sentence = 'nodeAt "/b/x" must be type mismatch, and is file not found'
    const laws = storageLaws.filter(({ name }) => name === law)
    expect((await violated(withoutThroughFile, laws)).get(law)).toContain(sentence)
    expect(document).toContain(`    ${law}\n`)
    expect(document).toContain(`    ${sentence}\n`)
  })

  it('shows what comes of a call that fails, whichever it is', async () => {
    expect(document).toContain("`failEachCall(ports, 'fails with external', (each) => askInProcess(each)(ask))`")
    for (const { world, ask, answer } of scenarios) {
      const ports = memoryPorts(world)
      const { failed, whole } = await failEachCall(ports, 'fails with external', (each) => askInProcess(each)(ask))
      expect(failed.filter((each) => !failsHonestly(each, whole))).toEqual([])
      expect(whole).toEqual(answer)
    }
  })

  it('names the laws for a storage that keeps fewer times', async () => {
    expect(document).toContain('`storageLawsWithin({ earliest: 0n, latest: 2n ** 32n - 1n })`')
    const laws = storageLawsWithin({ earliest: 0n, latest: 2n ** 32n - 1n })
    const ofTimes = laws.filter(({ name }) => name.includes('to the second'))
    expect([ofTimes.length, await violated(seedDocument, ofTimes)]).toEqual([2, new Map()])
  })

  it('shows what becomes of a seeding that fails', async () => {
    expect(document).toContain('it rejects with `SeedingFailed`')
    await expect(violated(() => Promise.reject(new Error('full')))).rejects.toThrow(
      `seeding failed for the law "${storageLaws[0]?.name}": full`,
    )
  })
})
