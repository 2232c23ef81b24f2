import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freshCanopy } from './canopyIn.js'

/** The widest permissions that a node may have. */
const maxMode = (path: string, isDirectory: boolean): number => {
  if (isDirectory) return 0o750
  return /registry\.sqlite|demo\.json/.test(path) ? 0o600 : 0o640
}

it.each([
  ['000', 0o000],
  ['022', 0o022],
  ['077', 0o077],
])('commands create nothing that other users can read, under umask %s', async (_, umask) => {
  const { directory, spawnUnder } = await freshCanopy()
  for (const words of [
    'account create',
    'account create --area elsewhere/deep/below',
    'token issue 1',
    'visibility set 1 / public',
    'trigger create --type bell',
    'demo',
  ])
    expect(await spawnUnder(umask, ...words.split(' '))).toMatchObject({ exit: 0 })
  const created = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const paths = ['data', 'data/areas', 'data/registry.sqlite', 'data/demo.json', 'data/areas/elsewhere/deep/below']
  expect(created).toEqual(expect.arrayContaining(paths))
  const wrong = created.filter((path) => {
    const stats = lstatSync(join(directory, path))
    return (stats.mode & 0o777) !== (maxMode(path, stats.isDirectory()) & ~umask)
  })
  expect(wrong).toEqual([])
})
