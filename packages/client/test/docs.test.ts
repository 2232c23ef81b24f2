import { readFile } from 'node:fs/promises'
import type { World } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { largeFiles } from './docs/withPromises.js'
import { described } from './docs/withValues.js'
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
  triggers: [],
}

const inTheDocs = async (example: string): Promise<string> => {
  const source = await readFile(new URL(example, import.meta.url), 'utf8')
  return source
    .replace('../../src/promise/index.js', '@canopy/client/promise')
    .replace('../../src/index.js', '@canopy/client')
    .replace(/^(?=.)/gm, '    ')
}

describe('the examples of docs/client.md', () => {
  let service: Service

  beforeAll(async () => {
    service = await serving(world)
  })
  afterAll(() => service.stop())

  it.each(['./docs/withPromises.ts', './docs/withValues.ts'])('%s stands there as it is tested', async (example) => {
    const docs = await readFile(new URL('../../../docs/client.md', import.meta.url), 'utf8')
    expect(docs).toContain(await inTheDocs(example))
  })

  it('do what they say', async () => {
    expect(await largeFiles(service.baseUrl, token)).toEqual(['large.jpg'])
    expect(await described(service.baseUrl, '1', '/photos')()).toBe('2 nodes')
    expect(await described(service.baseUrl, '1', '/photos/small.jpg')()).toBe('a file of 1 bytes')
    expect(await described(service.baseUrl, '1', '/')()).toBe('permission denied')
    expect(await described(service.baseUrl, '01', '/')()).toContain('the user id must be a whole number')
  })
})
