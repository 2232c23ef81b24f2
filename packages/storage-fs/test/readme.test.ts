import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@canopy/test-support'
import { expect, it, onTestFinished } from 'vitest'
import { namesIn } from './readme.js'

it('the example of the README lists the names of an area', async () => {
  const storage = temporaryDirectory(onTestFinished)
  mkdirSync(join(storage, 'alice', 'photos'), { recursive: true })
  writeFileSync(join(storage, 'alice', 'Diary'), '')
  symlinkSync('Diary', join(storage, 'alice', 'link'))
  const names = namesIn(`file://${storage}`)
  expect(await names()).toEqual(['Diary', 'photos'])
  writeFileSync(join(storage, 'alice', 'letter'), '')
  expect(await names()).toEqual(['Diary', 'letter', 'photos'])
  expect(() => namesIn('file://host/canopy')).toThrow('must not contain a host')
})
