import { readFile } from 'node:fs/promises'
import type { World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { described } from './docs/described.js'
import { triggerType } from './docs/triggerType.js'
import { largeFiles } from './readme.js'
import { type Service, serving } from './serving.js'

const token = `cnp_${'d'.repeat(42)}A`

const world: World = {
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [{ token, scope: '/', state: 'valid' }],
      settings: [{ path: '/photos', visibility: 'public' }],
      area: [
        {
          type: 'dir',
          name: 'photos',
          last_modified: 1n,
          content: [
            { type: 'file', name: 'large.jpg', size: 1_000_001n, last_modified: 1n },
            { type: 'file', name: 'small.jpg', size: 1n, last_modified: 1n },
          ],
        },
      ],
    },
  ],
  triggers: [{ id: 'door', value: '{"type":"open"}', state: 'valid' }],
}

const textOf = (file: string): Promise<string> => readFile(new URL(file, import.meta.url), 'utf8')

describe('the examples of docs/client.md', () => {
  let service: Service

  beforeAll(async () => {
    service = await serving(world)
  })
  afterAll(() => service.stop())

  it.each(['./readme.ts', './docs/described.ts', './docs/triggerType.ts'])(
    '%s is there as it is tested',
    async (file) => {
      expect(await textOf('../../../docs/client.md')).toContain((await textOf(file)).replace(/^(?=.)/gm, '    '))
    },
  )

  it('do what they say', async () => {
    expect(await largeFiles(service.baseUrl, token)).toEqual(['large.jpg'])
    expect(await described(service.baseUrl, '1', '/photos')).toBe('a directory of 2 nodes')
    expect(await described(service.baseUrl, '1', '/photos/small.jpg')).toBe('a file of 1 bytes')
    expect(await described(service.baseUrl, '1', '/')).toBe('nothing to see')
    expect(await described(service.baseUrl, '01', '/')).toContain('the user id must be a whole number')
    expect(await triggerType(service.baseUrl, 'door')()).toEqual(E.right('open'))
    expect(await triggerType(service.baseUrl, 'window')()).toEqual(E.left('no such trigger'))
  })
})
