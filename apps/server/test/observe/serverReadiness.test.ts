import { tmpdir } from 'node:os'
import { Failure } from '@canopy/domain'
import { type StorageRoot, storageReachable } from '@canopy/storage-fs'
import { memoryPorts } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { serverReadiness } from '../../src/observe/health.js'

const somewhere = storageReachable(tmpdir() as StorageRoot.StorageRoot)
const nowhere = storageReachable('/nowhere/at/all' as StorageRoot.StorageRoot)
const silent = pino({ level: 'silent' })
const empty = memoryPorts({ accounts: [], triggers: [] })
const failing = { areaOfUser: () => TE.left(Failure.external(new Error('the database is gone'))) }

describe('the readiness of the server', () => {
  it('asks the registry itself, and counts an unknown account as an answer', async () => {
    expect(await serverReadiness(empty, somewhere, silent).verdict()).toEqual({ is: 'ready' })
  })

  it('names a registry and a storage that fail, and logs why', async () => {
    const lines: Array<Readonly<Record<string, unknown>>> = []
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    expect(await serverReadiness(failing, nowhere, log).verdict()).toEqual({
      is: 'failed',
      parts: ['registry', 'storage'],
    })
    expect(lines.map(({ part, cause, level }) => [part, cause, level])).toEqual(
      expect.arrayContaining([
        ['registry', 'the database is gone', 40],
        ['storage', expect.stringContaining('ENOENT'), 40],
      ]),
    )
  })
})
