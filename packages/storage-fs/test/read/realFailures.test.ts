import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createArea } from '../../src/admin.js'
import { storageReachable } from '../../src/resolve/areas.js'
import { hintOn, withHint } from '../../src/resolve/errno.js'
import { asNobody, at, dir, inArea, rootAt } from '../temporaryArea.js'

const external = (message: RegExp) =>
  E.left({ error: 'external', cause: expect.objectContaining({ message: expect.stringMatching(message) }) })

describe('trouble of the storage', () => {
  it('gives a hint once, keeps the errno, and leaves other errors alone', () => {
    const eio = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
    const failing = `EIO: i/o error, read. T${hintOn('EIO')?.slice(1)}`
    expect(withHint(eio)).toMatchObject({ code: 'EIO', message: failing })
    expect(withHint(withHint(eio))).toEqual(withHint(eio))
    // As Node names what libuv does not know.
    const code = 'Unknown system error -116'
    const estale = Object.assign(new Error(`${code}, lstat 'x'`), { code, errno: -116 })
    expect(withHint(estale)).toMatchObject({
      code: 'ESTALE',
      message: `${code}, lstat 'x'. T${hintOn('ESTALE')?.slice(1)}`,
    })
    for (const thrown of ['text', new Error('x'), Object.assign(new Error('x'), { code: 'EODD' })])
      expect(withHint(thrown)).toBe(thrown)
  })

  it('is a missing permission for a closed directory', () =>
    inArea([dir('closed', dir('in'))], async ({ area, ports, directory, root }) => {
      await chmod(join(directory, 'closed'), 0o000)
      onTestFinished(() => chmod(join(directory, 'closed'), 0o755).catch(() => undefined))
      await chmod(root, 0o755)
      const said =
        /^EACCES: .* '\/closed' in area 'area'\. This user does not have access: change the permissions of the path/
      expect(await asNobody(() => ports.list(area, at('/closed'))())).toEqual(external(said))
      await chmod(root, 0o000)
      expect(await asNobody(() => storageReachable(root)())).toEqual(
        external(/^EACCES: .*\. This user does not have access/),
      )
      await chmod(root, 0o755)
      await chmod(join(directory, 'closed'), 0o755)
    }))

  it('is a full disk for an area without room', async (context) => {
    const root = await mkdtemp(join(tmpdir(), 'canopy-full-'))
    onTestFinished(() => rm(root, { recursive: true }))
    // Not run where this user may not mount.
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'nr_inodes=2', 'tmpfs', root]).status !== 0) return context.skip()
    onTestFinished(() => void spawnSync('umount', ['-l', root]))
    await writeFile(join(root, 'last'), '')
    const made = await createArea(rootAt(root), Area.location('1'))()
    expect(made).toEqual(
      E.left({
        error: 'cannot create area',
        reason: expect.stringMatching(/1 cannot be created: Error: ENOSPC/),
        hint: "the disk or this user's quota is full: free some space",
      }),
    )
  })
})
