import { readFile } from 'node:fs/promises'
import { dir, file, token, worldWith } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { described } from './docs/described.js'
import { triggerType } from './docs/triggerType.js'
import { largeFiles } from './readme.js'
import { type Service, serving } from './serving.js'

const world = worldWith(
  [dir('photos', file('large.jpg', 1_000_001n), file('small.jpg'))],
  { settings: [{ path: '/photos', visibility: 'public' }] },
  [{ id: 'bell', value: '{"type":"open"}', state: 'valid' }],
)

const textOf = (file: string): Promise<string> => readFile(new URL(file, import.meta.url), 'utf8')

describe('the examples of the README', () => {
  let service: Service

  beforeAll(async () => {
    service = await serving(world)
  })
  afterAll(() => service.stop())

  it('are those of the tests', async () => {
    const examples = [...(await textOf('../README.md')).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
    expect(examples).toEqual(
      await Promise.all(['./readme.ts', './docs/described.ts', './docs/triggerType.ts'].map(textOf)),
    )
  })

  it('return the documented values', async () => {
    expect(await largeFiles(service.baseUrl, token)).toEqual(['large.jpg'])
    expect(await described(service.baseUrl, '1', '/photos')).toBe('a directory of 2 nodes')
    expect(await described(service.baseUrl, '1', '/photos/small.jpg')).toBe('a file of 1 bytes')
    expect(await described(service.baseUrl, '1', '/')).toBe('nothing to see')
    expect(await described(service.baseUrl, '01', '/')).toContain('the user id must be a whole number')
    expect(await triggerType(service.baseUrl, 'bell')()).toEqual(E.right('open'))
    expect(await triggerType(service.baseUrl, 'unknown')()).toEqual(E.left('no such trigger'))
  })
})
