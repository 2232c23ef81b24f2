import { statSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errnoOf } from '../src/errnoOf.js'
import { makeDirectory } from '../src/makeDirectory.js'

describe('a directory', () => {
  let at = ''

  beforeAll(async () => {
    at = await mkdtemp(join(tmpdir(), 'canopy-files-'))
    await writeFile(join(at, 'file'), '')
    await symlink(join(at, 'nowhere'), join(at, 'dangling'))
    await mkdir(join(at, 'real'))
    await symlink(join(at, 'real'), join(at, 'linked'))
  })
  afterAll(() => rm(at, { recursive: true }))

  const refusal = (path: string): Promise<string> => makeDirectory(path).then(() => 'made', errnoOf)

  it.each(['a/b/c', 'a/b', 'linked', 'linked/below'])('%s is made with those above it, or found', async (path) => {
    await makeDirectory(join(at, path))
    expect(statSync(join(at, path)).isDirectory()).toBe(true)
  })

  it.each([0o000, 0o022, 0o077])('is closed to other users, with those above it, under umask %i', async (umask) => {
    const before = process.umask(umask)
    try {
      await makeDirectory(join(at, `closed-${umask}/below`))
    } finally {
      process.umask(before)
    }
    for (const path of [`closed-${umask}`, `closed-${umask}/below`])
      expect(statSync(join(at, path)).mode & 0o777).toBe(0o750 & ~umask)
  })

  it('is made once, however many want it', async () => {
    const isNew = await Promise.all(Array.from({ length: 20 }, () => makeDirectory(join(at, 'many/of/them'))))
    expect(isNew.filter((made) => made)).toEqual([true])
    expect(statSync(join(at, 'many/of/them')).isDirectory()).toBe(true)
  })

  it.each(['file', 'file/below', 'dangling', 'dangling/below'])(
    '%s is refused: something is in the way',
    async (path) => {
      expect(await refusal(join(at, path))).toBe('EEXIST')
    },
  )

  it('is refused where none can be made', async () => {
    expect(await refusal('/proc/nobody/makes/this')).toBe('ENOENT')
  })
})
