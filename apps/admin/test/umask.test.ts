import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bin, freshCanopy } from './canopyIn.js'

const maxMode = (path: string, isDirectory: boolean): number => {
  if (isDirectory) return 0o750
  return /registry\.sqlite|demo\.json/.test(path) ? 0o600 : 0o640
}

it.each(['000', '022', '077'])('commands create nothing that other users can read, under umask %s', async (umask) => {
  const { directory } = await freshCanopy()
  const script = `umask ${umask}
    canopy() { '${process.execPath}' '${bin}' "$@"; }
    canopy account create && canopy account create --area elsewhere/deep/below && canopy token issue 1 &&
      canopy visibility set 1 / public && canopy trigger create --type bell && canopy demo`
  execFileSync('sh', ['-c', script], { cwd: directory, env: {} })
  const created = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const paths = ['data', 'data/areas', 'data/registry.sqlite', 'data/demo.json', 'data/areas/elsewhere/deep/below']
  expect(created).toEqual(expect.arrayContaining(paths))
  const wrong = created.filter((path) => {
    const stats = lstatSync(join(directory, path))
    return (stats.mode & 0o777) !== (maxMode(path, stats.isDirectory()) & ~Number.parseInt(umask, 8))
  })
  expect(wrong).toEqual([])
})
