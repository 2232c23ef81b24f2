import { execFile } from 'node:child_process'
import { constants, existsSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, symlink, utimes, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { WorldAccount, WorldFile, WorldNode } from '../World.js'

const run = promisify(execFile)

/** A short way to an open directory, so that no path below it is too long. Good for our child processes too. */
const reachedBy = (directory: string, { fd }: FileHandle): string =>
  existsSync('/proc/self/fd') ? `/proc/${process.pid}/fd/${fd}` : directory

/** Sparse: takes no room, whatever its size. Node cannot set a size above 2^53 itself. */
const resize = async (path: string, size: bigint): Promise<void> => {
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) await run('truncate', ['--no-create', `--size=${size}`, path])
  else if (size > 0n) truncateSync(path, Number(size))
}

/** Not through the thread pool, which takes ten times as long. */
const seedFile = async (path: string, { size, last_modified }: WorldFile): Promise<void> => {
  writeFileSync(path, '', { flag: 'wx' })
  await resize(path, size)
  utimesSync(path, Number(last_modified), Number(last_modified))
}

const seedNode = async (directory: string, node: WorldNode): Promise<void> => {
  const path = `${directory}/${node.name}`
  switch (node.type) {
    case 'file':
      return seedFile(path, node)
    case 'dir':
      await mkdir(path)
      await seedAll(path, node.content)
      // Last, since seeding what is in it moves its time.
      await utimes(path, Number(node.last_modified), Number(node.last_modified))
      if (node.locked === true) await chmod(path, 0)
      return
    case 'link':
      return symlink(node.target ?? 'missing', path)
    case 'fifo':
      await run('mkfifo', ['--', path])
      return
    case 'dead':
      // Needs a file system whose server is gone.
      return
    case 'undecodable':
      return writeFile(Buffer.concat([Buffer.from(path), Buffer.from([0xff, 0xfe])]), '', { flag: 'wx' })
  }
}

const seedAll = async (directory: string, nodes: ReadonlyArray<WorldNode>): Promise<void> => {
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    for (const node of nodes) await seedNode(reachedBy(directory, handle), node)
  } finally {
    await handle.close()
  }
}

/**
 * Makes a directory hold these nodes as real files, links and FIFOs; it is made if need be. Does nothing for
 * `missing`. An undecodable name gets two bytes that are not UTF-8; what is locked stops everyone but root.
 */
export const seedDirectory = async (directory: string, nodes: WorldAccount['area']): Promise<void> => {
  if (nodes === 'missing') return
  await mkdir(directory, { recursive: true })
  await seedAll(directory, nodes)
}

/** Removes a directory with all it holds, also what lies at paths too long for Node's own `rm`, and locked directories. */
export const removeDirectory = async (directory: string): Promise<void> => {
  try {
    await run('rm', ['-rf', '--', directory])
  } catch {
    // What is locked stops its owner too.
    await run('chmod', ['-R', 'u+rwX', '--', directory])
    await run('rm', ['-rf', '--', directory])
  }
}
