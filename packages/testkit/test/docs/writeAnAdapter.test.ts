import { existsSync, readFileSync } from 'node:fs'
import { Failure, Name } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { failEachCall, failsHonestly } from '../../src/faults.js'
import { Unanswered } from '../../src/laws/Law.js'
import { storageLaws, storageLawsWithin } from '../../src/laws/storageLaws.js'
import { scenarios } from '../../src/scenarios/scenarios.js'
import { memoryPorts, type SeedStorage, type StoragePorts } from '../../src/World.js'
import { seedDocument } from './seedDocument.js'

const textAt = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

const document = textAt('../../../../docs/write-an-adapter.md')

/** Each block of code, by the name of its file that stands above it. */
const blocks = [...document.matchAll(/^`(\S+)`\n\n```ts\n(.*?)^```$/gms)].map(([, name, code]) => [name ?? '', code])

const broken =
  (breaks: (ports: StoragePorts) => StoragePorts): SeedStorage =>
  async (...both) => {
    const seeded = await seedDocument(...both)
    return { ...seeded, ports: breaks(seeded.ports) }
  }

const withoutThroughFile = broken((ports) => ({
  ...ports,
  nodeAt: (area, path) =>
    pipe(
      ports.nodeAt(area, path),
      TE.mapLeft((failure) => (failure.error === 'type mismatch' ? Failure.fileNotFound : failure)),
    ),
}))

const backwards = broken((ports) => ({
  ...ports,
  list: (area, path) =>
    pipe(
      ports.list(area, path),
      TE.map((listing) => ({
        ...listing,
        entries: [...listing.entries].sort((x, y) => Name.byBytes.compare(y.name, x.name)),
      })),
    ),
}))

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
    expect((await violated(withoutThroughFile)).get(law)).toContain(sentence)
    expect(document).toContain(`    ${law}\n`)
    expect(document).toContain(`    ${sentence}\n`)
  })

  it('can promise that a wrong order is caught', async () => {
    expect([...(await violated(backwards)).keys()]).toContain('a listing is in byte order of the names')
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
    expect(await violated(seedDocument, storageLawsWithin({ earliest: 0n, latest: 2n ** 32n - 1n }))).toEqual(new Map())
  })

  it('shows what becomes of a seeding that fails', async () => {
    expect(document).toContain('it rejects with `SeedingFailed`')
    await expect(violated(() => Promise.reject(new Error('full')))).rejects.toThrow(
      `seeding failed for the law "${storageLaws[0]?.name}": full`,
    )
  })

  it('describes the limit of an answer', () => {
    expect(document).toContain('It waits 5 s\nfor each answer')
    expect(new Unanswered('nodeAt "/"').message).toContain('after 5 s')
  })

  it('links to what exists', () => {
    const links = [...document.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link ?? '')
    expect(links.filter((link) => !existsSync(new URL(`../../../../docs/${link}`, import.meta.url)))).toEqual([])
    expect(links.length).toBeGreaterThan(0)
  })
})
