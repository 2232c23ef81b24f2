import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { runs } from '@canopy/test-support'
import { seedDirectory } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { areaAt, at, besideWorker, dir, file, inArea } from './temporaryArea.js'

// By turns the directory and a link to a secret one stand at the same name.
const swap = `
  fs.renameSync(at + '/d', at + '/spare')
  fs.renameSync(at + '/link', at + '/d')
  fs.renameSync(at + '/d', at + '/link')
  fs.renameSync(at + '/spare', at + '/d')`

const rounds = runs(2_000)
// As long as only one of the two has been met.
const roundsAtMost = 100_000

describe('a directory that is swapped for a link while it is resolved', () => {
  it.each(['area', 'link'])('never leads to what the link points to, in an area at %s', (location) =>
    inArea([dir('d', dir('e', file('same', 1n)))], async ({ ports, directory, root }) => {
      symlinkSync('area', join(root, 'link'))
      const area = areaAt(location)
      await seedDirectory(join(root, 'secret'), [dir('e', file('same', 777n), file('secret', 777n))])
      symlinkSync(join(root, 'secret'), join(directory, 'link'))
      const seen = new Set<string>()
      await besideWorker(swap, directory, async () => {
        for (let round = 0; round < rounds || (seen.size < 3 && round < roundsAtMost); round++) {
          const node = await ports.nodeAt(area, at('/d/e/same'))()
          seen.add(E.isLeft(node) ? node.left.error : `${node.right.type === 'file' ? node.right.size : 'no'} bytes`)
          const secret = await ports.nodeAt(area, at('/d/e/secret'))()
          seen.add(E.isLeft(secret) ? secret.left.error : 'secret')
          const listing = await ports.list(area, at('/d/e'))()
          for (const entry of E.isLeft(listing) ? [] : listing.right.entries) seen.add(entry.name)
        }
      })
      expect([...seen].sort()).toEqual(['1 bytes', 'file not found', 'same'])
    }),
  )
})
