import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { diary, party, respond, sea } from './readme.js'
import { portsOf, registryWith } from './registry.js'
import { dir, file, set, storageOf } from './support.js'

const textAt = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

it('the example of the README decides what its comments say', () => {
  const said = [...textAt('test/readme.ts').matchAll(/^\/\*\* `(true|false)`/gm)].map(([, value]) => value === 'true')
  expect([sea, party, diary]).toEqual(said)
})

it('the example of the README answers a request of a visitor', async () => {
  const ports = portsOf(registryWith(set({ '/photos': 'public' })), storageOf([dir('photos', file('a'))]))
  expect(JSON.parse(await respond('7', '/photos', ports))).toMatchObject({ content: [{ name: 'a' }] })
  expect(await respond('7', '/photos/none', ports)).toBe('{"type":"error","error":"file not found"}')
  expect(await respond('7', '/diary.txt', ports)).toBe('{"type":"error","error":"permission denied"}')
})
