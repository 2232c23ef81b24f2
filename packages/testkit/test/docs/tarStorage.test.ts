import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Area, type UserId } from '@canopy/domain'
import { type SeedStorage, storageLawsWithin, type WorldAccount, type WorldNode } from '@canopy/testkit'
import { pack } from 'tar-stream'
import { expect, it } from 'vitest'
import open from './tarStorage.mjs'

/** tar-stream writes 31 bits of seconds. An archive holds the bytes of a file, so huge files are not seeded. */
const maxBytes = 1_000_000n

const add = (archive: ReturnType<typeof pack>, directory: string, nodes: ReadonlyArray<WorldNode>): void => {
  for (const node of nodes) {
    const name = `${directory}${node.name}`
    if (node.type !== 'file' && node.type !== 'dir') continue
    const mtime = new Date(Number(node.last_modified) * 1000)
    if (node.type === 'dir') {
      archive.entry({ name, type: 'directory', mtime })
      add(archive, `${name}/`, node.content)
    } else if (node.size <= maxBytes) archive.entry({ name, mtime }, Buffer.alloc(Number(node.size)))
  }
}

const writeArchive = (file: string, nodes: WorldAccount['area']): Promise<void> => {
  if (nodes === 'missing') return Promise.resolve()
  const archive = pack()
  add(archive, '', nodes)
  archive.finalize()
  return pipeline(archive, createWriteStream(file))
}

const seed: SeedStorage = async (nodes, otherNodes) => {
  const directory = await mkdtemp(join(tmpdir(), 'canopy-tar-'))
  await writeArchive(join(directory, 'one.tar'), nodes)
  await writeArchive(join(directory, 'other.tar'), otherNodes)
  return {
    ports: await open(`module:/tarStorage.mjs?directory=${encodeURIComponent(directory)}`),
    area: { owner: 1n as UserId.UserId, location: Area.location('one.tar') },
    other: { owner: 2n as UserId.UserId, location: Area.location('other.tar') },
    close: () => rm(directory, { recursive: true }),
  }
}

const laws = storageLawsWithin({ earliest: 0n, latest: 2n ** 31n - 1n })

it.each(laws)('tar archives keep the law: $name', { timeout: 30_000 }, async ({ violations }) => {
  expect(await violations(seed)).toEqual([])
})
