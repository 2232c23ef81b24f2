import { closeSync, ftruncateSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'

/** So many names, in byte order; nothing in them needs escaping, in a URL or in JSON. */
export const names = (count, prefix = 'report-', suffix = '.pdf') =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(7, '0')}${suffix}`)

/** A directory of so many files, of different sizes that take no room on the disk. It can be interrupted. */
export const plantFiles = async (directory, count, sizeOf = (index) => (index * 7919) % 5_000_000) => {
  mkdirSync(directory, { recursive: true })
  for (const [index, name] of names(count).entries()) {
    const file = openSync(join(directory, name), 'wx')
    const size = sizeOf(index)
    if (size > 0) ftruncateSync(file, size)
    closeSync(file)
    if (index % 1_000 === 0) await turn()
  }
}

/** Directories below each other, `breadths` many on each level, and at the bottom so many files in each. */
export const plantTree = async (directory, [breadth, ...breadths], files) => {
  if (breadth === undefined) return plantFiles(directory, files, () => 0)
  mkdirSync(directory, { recursive: true })
  for (const name of names(breadth, 'folder-', '')) await plantTree(join(directory, name), breadths, files)
}

/** Nodes in such a tree, its own root not counted. */
export const nodesIn = ([breadth, ...breadths], files) =>
  breadth === undefined ? files : breadth * (1 + nodesIn(breadths, files))
