import { lstatSync, mkdtempSync, readdirSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { removeDirectory, seedDirectory } from '../../src/seed.js'
import type { WorldNode } from '../../src/World.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'canopy-seed-'))
})
afterEach(() => removeDirectory(root))

const file = (name: string, size: bigint, last_modified: bigint): WorldNode => ({
  type: 'file',
  name,
  size,
  last_modified,
})

describe('seedDirectory', () => {
  it('makes files and directories with exact sizes and times, also of what holds others', async () => {
    await seedDirectory(join(root, 'new', 'area'), [
      { type: 'dir', name: 'd', last_modified: 5n, content: [file('f', 2n ** 33n, 7n)] },
      file('-n', 1n, 0n),
    ])
    const stats = (path: string) => lstatSync(join(root, 'new', 'area', path), { bigint: true })
    expect(stats('d').mtimeNs).toBe(5_000_000_000n)
    expect([stats('d/f').size, stats('d/f').mtimeNs]).toEqual([2n ** 33n, 7_000_000_000n])
    expect([stats('-n').size, stats('-n').mtimeNs]).toEqual([1n, 0n])
  })

  it('makes links, FIFOs and names that are not UTF-8', async () => {
    await seedDirectory(root, [
      { type: 'link', name: 'link', target: '../elsewhere' },
      { type: 'fifo', name: 'pipe' },
      { type: 'undecodable', name: 'caf' },
    ])
    expect(readlinkSync(join(root, 'link'))).toBe('../elsewhere')
    expect(lstatSync(join(root, 'pipe')).isFIFO()).toBe(true)
    expect(readdirSync(root, { encoding: 'latin1' })).toEqual(['caf\xff\xfe', 'link', 'pipe'])
  })

  it('makes nothing of what is missing, and an empty directory of nothing', async () => {
    await seedDirectory(join(root, 'missing'), 'missing')
    await seedDirectory(join(root, 'empty'), [])
    expect(readdirSync(root)).toEqual(['empty'])
  })

  it('refuses two nodes of one name', async () => {
    await expect(seedDirectory(root, [file('f', 0n, 0n), file('f', 1n, 0n)])).rejects.toThrow('EEXIST')
  })
})
