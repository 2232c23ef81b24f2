import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { runs } from '@canopy/test-support'
import { seedDirectory } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { fsStorage } from '../../src/read/fsStorage.js'
import { ReaderPool } from '../../src/read/ReaderPool.js'
import { type OpenPinned, pinByDescriptor } from '../../src/resolve/openPinned.js'
import { areaAt, at, dir, file, inArea } from '../temporaryArea.js'

/** Called between the pinning and the read, with the number of the reading. */
type Happens = (directory: string, time: number) => void

const away = (directory: string, to = 'secret/d') => renameSync(join(directory, 'd'), join(directory, to))

const replaced: Happens = (directory, time) => {
  if (time > 1) return
  away(directory)
  writeFileSync(join(directory, 'secret/d/made there'), '')
  mkdirSync(join(directory, 'd'))
  writeFileSync(join(directory, 'd/other'), '')
}

const movedEachTime: Happens = (directory, time) => {
  away(directory, `secret/${time}`)
  mkdirSync(join(directory, 'd'))
}

const movedAndBack: Happens = (directory) => {
  away(directory)
  renameSync(join(directory, 'secret/d'), join(directory, 'd'))
}

const rootMovedEachTime: Happens = (directory, time) => {
  renameSync(directory, `${directory} ${time}`)
  mkdirSync(directory)
}

const movedOnce: Happens = (directory, time) => void (time === 1 && away(directory))
const removed: Happens = (directory) => rmSync(join(directory, 'd'), { recursive: true, force: true })
const rootRemoved: Happens = (directory) => rmSync(directory, { recursive: true, force: true })

describe('a directory that is moved while it is read', () => {
  it.each<[string, string, Happens, unknown, number | undefined]>([
    ['is the new directory at its path', '/d', replaced, ['other'], 2],
    ['is not found without a directory in its place', '/d', movedOnce, 'file not found', 2],
    ['is not found once removed', '/d', removed, 'file not found', undefined],
    ['is external when it moves each time', '/d', movedEachTime, 'external', 8],
    ['is the same directory when it moves back', '/d', movedAndBack, ['f'], 1],
    ['is external when the root moves each time', '/', rootMovedEachTime, 'external', 8],
    ['is external when the root is removed', '/', rootRemoved, 'external', undefined],
  ])('%s', (_, path, happens, found, times) =>
    inArea([dir('d', file('f')), dir('secret')], async ({ root, directory }) => {
      let holds = 0
      const pin: OpenPinned = (area, asked) => {
        const held = pinByDescriptor(area, asked)
        holds += 1
        happens(directory, holds)
        return held
      }
      const listing = await fsStorage(root, { pin }).list(areaAt('area'), at(path))()
      const names = E.isRight(listing) ? Array.from(listing.right.entries, ({ name }) => name) : listing.left.error
      expect([names, times === undefined ? undefined : holds]).toEqual([found, times])
    }),
  )
})

/** Runs a function while a thread swaps the directory and a link to a secret one at the same name. */
const besideSwaps = async (directory: string, act: () => Promise<void>): Promise<void> => {
  const script = `
    const fs = require('node:fs')
    const at = require('node:worker_threads').workerData
    for (;;) {
      fs.renameSync(at + '/d', at + '/spare')
      fs.renameSync(at + '/link', at + '/d')
      fs.renameSync(at + '/d', at + '/link')
      fs.renameSync(at + '/spare', at + '/d')
    }`
  const worker = new Worker(script, { eval: true, workerData: directory })
  const failed = new Promise<never>((_, reject) => worker.once('error', reject))
  try {
    await Promise.race([act(), failed])
  } finally {
    await worker.terminate()
  }
}

const rounds = runs(2_000, 50_000)
// While the test has met only one of the two.
const roundsAtMost = 100_000

describe('a directory that is swapped for a link while it is resolved', () => {
  it.each(['area', 'link'])('never leads to the target of the link, in an area at %s', (location) =>
    inArea([dir('d', dir('e', file('same', 1n)))], async ({ ports, directory, root }) => {
      symlinkSync('area', join(root, 'link'))
      const area = areaAt(location)
      const readers = new ReaderPool(root)
      await seedDirectory(join(root, 'secret'), [dir('e', file('same', 777n), file('secret', 777n))])
      symlinkSync(join(root, 'secret'), join(directory, 'link'))
      const seen = new Set<string>()
      await besideSwaps(directory, async () => {
        for (let round = 0; round < rounds || (seen.size < 3 && round < roundsAtMost); round++) {
          const node = await ports.nodeAt(area, at('/d/e/same'))()
          seen.add(E.isLeft(node) ? node.left.error : `${node.right.type === 'file' ? node.right.size : 'no'} bytes`)
          const secret = await ports.nodeAt(area, at('/d/e/secret'))()
          seen.add(E.isLeft(secret) ? secret.left.error : 'secret')
          // A question to another process takes ten times longer.
          const list =
            round % 10 === 0
              ? () => readers.list({ ask: 'list', area, path: at('/d/e'), isSnapshot: false })
              : ports.list(area, at('/d/e'))
          const listing = await list()
          for (const entry of E.isLeft(listing) ? [] : listing.right.entries) seen.add(entry.name)
        }
      })
      expect([...seen].sort()).toEqual(['1 bytes', 'file not found', 'same'])
    }),
  )
})
