// Ways to list a directory: wall time and the longest block of the event loop, in the fastest of several runs.
// Run it after a build: node packages/storage-fs/bench/listing.mjs
import { closeSync, lstatSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { Area, StoragePath } from '@canopy/domain'
import { fsStorage, ReaderPool, StorageRoot } from '../dist/index.js'

const latin1 = { encoding: 'latin1' }
const bigint = { bigint: true }
const entry = (name, stats) => ({ name, size: stats.size, last_modified: stats.mtimeNs / 1_000_000_000n })
const root = mkdtempSync(join(tmpdir(), 'canopy-bench-'))
const storageRoot = StorageRoot.fromText('/')(`file:${root}`).right
const { list } = fsStorage(storageRoot, { readers: new ReaderPool(storageRoot) })

const ways = {
  'all synchronous': async (directory) =>
    readdirSync(directory, latin1).map((name) => entry(name, lstatSync(`${directory}/${name}`, bigint))),
  'all at once, asynchronous': async (directory) =>
    Promise.all(
      (await readdir(directory, latin1)).map(async (name) => entry(name, await lstat(`${directory}/${name}`, bigint))),
    ),
  '16 at a time, asynchronous': async (directory) => {
    const names = (await readdir(directory, latin1)).values()
    const entries = []
    const next = async () => {
      for (const name of names) entries.push(entry(name, await lstat(`${directory}/${name}`, bigint)))
    }
    await Promise.all(Array.from({ length: 16 }, next))
    return entries
  },
  'as Canopy does (fsStorage)': (directory) =>
    list({ owner: 1n, location: Area.location(directory) }, StoragePath.root)(),
}

const measure = async (way, directory) => {
  let last = performance.now()
  let block = 0
  let watching = setImmediate(watch)
  function watch() {
    const now = performance.now()
    block = Math.max(block, now - last)
    last = now
    watching = setImmediate(watch)
  }
  await turn()
  const start = performance.now()
  await way(directory)
  const wall = performance.now() - start
  await turn()
  clearImmediate(watching)
  return { wall, block }
}

for (const count of [10, 1_000, 10_000, 100_000]) {
  const directory = join(root, `${count}`)
  mkdirSync(directory)
  for (let i = 0; i < count; i++) closeSync(openSync(join(directory, `photo-${(i * 7919) % count}.jpg`), 'w'))
  for (const [name, way] of Object.entries(ways)) {
    const runs = []
    for (let run = 0; run < (count > 1_000 ? 7 : 51); run++) runs.push(await measure(way, directory))
    const { wall, block } = runs.reduce((best, run) => (run.wall < best.wall ? run : best))
    console.log(`${count} entries, ${name}: ${wall.toFixed(1)} ms, blocked at most ${block.toFixed(1)} ms`)
  }
}
rmSync(root, { recursive: true })
