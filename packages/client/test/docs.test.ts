import { readFile } from 'node:fs/promises'
import { dir, file, token, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { startApp } from '../../../apps/server/test/startApp.js'
import { described } from './docs/described.js'
import { triggerType } from './docs/triggerType.js'
import { largeFiles } from './readme.js'

const world = worldWith(
  [dir('photos', file('large.jpg', 1_000_001n), file('small.jpg'))],
  { settings: [{ path: '/photos', visibility: 'public' }] },
  [{ id: 'bell', value: '{"type":"open"}', state: 'valid' }],
)

const textOf = (file: string): Promise<string> => readFile(new URL(file, import.meta.url), 'utf8')

it('the examples of the README are those of the tests', async () => {
  const examples = [...(await textOf('../README.md')).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
  expect(examples).toEqual(
    await Promise.all(['./readme.ts', './docs/described.ts', './docs/triggerType.ts'].map(textOf)),
  )
})

it('the examples of the README return the documented values', async () => {
  const { url, stop } = await startApp(memoryPorts(world))
  expect(await largeFiles(url, token)).toEqual(['large.jpg'])
  expect(await described(url, '1', '/photos')).toBe('a directory of 2 nodes')
  expect(await described(url, '1', '/photos/small.jpg')).toBe('a file of 1 bytes')
  expect(await described(url, '1', '/')).toBe('nothing to see')
  expect(await described(url, '01', '/')).toContain('the user id must be a whole number')
  expect(await triggerType(url, 'bell')()).toEqual(E.right('open'))
  expect(await triggerType(url, 'unknown')()).toEqual(E.left('no such trigger'))
  await stop()
})
