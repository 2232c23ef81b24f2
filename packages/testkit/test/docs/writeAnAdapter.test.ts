import { readFileSync } from 'node:fs'
import { Failure } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { failEachCall, failsHonestly } from '../../src/faults.js'
import { storageLaws } from '../../src/laws/storageLaws.js'
import { memoryPorts } from '../../src/memoryPorts.js'
import { scenarios } from '../../src/scenarios/scenarios.js'
import type { SeedStorage, StoragePorts } from '../../src/World.js'
import { seedDocument } from './seedDocument.js'

const textAt = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

const document = textAt('../../../../docs/write-an-adapter.md')

/** The adapter without `throughFile`. */
const withoutThroughFile: SeedStorage = async (...both) => {
  const { ports, ...seeded } = await seedDocument(...both)
  const nodeAt: StoragePorts['nodeAt'] = (area, path) =>
    pipe(
      ports.nodeAt(area, path),
      TE.mapLeft((failure) => (failure.error === 'type mismatch' ? Failure.fileNotFound : failure)),
    )
  return { ...seeded, ports: { ...ports, nodeAt } }
}

describe('docs/write-an-adapter.md', () => {
  it('shows the violation of an adapter without a line', async () => {
    const law = storageLaws.find(({ name }) => name === 'a path through a file is `type mismatch`')
    const [sentence] = (await law?.violations(withoutThroughFile)) ?? []
    expect(document).toContain(`    ${law?.name}\n`)
    expect(document).toContain(`    ${sentence}\n`)
  })
})

it('each scenario fails honestly where one of its calls fails', async () => {
  for (const { world, ask, answer } of scenarios) {
    const ports = memoryPorts(world)
    const { failed, whole } = await failEachCall(ports, 'fails with external', (each) => askInProcess(each)(ask))
    expect(failed.filter((each) => !failsHonestly(each, whole))).toEqual([])
    expect(whole).toEqual(answer)
  }
})
