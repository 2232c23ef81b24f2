import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { namesIn } from './readme.js'

describe('the example of the README', () => {
  let storage = ''
  beforeEach(() => {
    storage = mkdtempSync(join(tmpdir(), 'canopy-readme-'))
  })
  afterEach(() => {
    rmSync(storage, { recursive: true })
  })

  it('lists the names of an area', async () => {
    mkdirSync(join(storage, 'alice', 'photos'), { recursive: true })
    writeFileSync(join(storage, 'alice', 'Diary'), '')
    symlinkSync('Diary', join(storage, 'alice', 'link'))
    const names = namesIn(`file://${storage}`)
    expect(await names()).toEqual(['Diary', 'photos'])
    writeFileSync(join(storage, 'alice', 'letter'), '')
    expect(await names()).toEqual(['Diary', 'letter', 'photos'])
    expect(() => namesIn('file://host/canopy')).toThrow('must not contain a host')
  })
})
