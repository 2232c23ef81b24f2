import { access, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freshCanopy } from '../canopyIn.js'

describe('canopy account', () => {
  it('makes, lists, verifies, unverifies and deletes accounts', async () => {
    const { directory, spawn } = await freshCanopy()
    const area = join(directory, 'data/areas/1')
    const ann = { id: '1', name: 'Photos', verified: false, area }

    const created = await spawn('account', 'create', '--name', 'Photos', '--json')
    expect(created).toEqual({
      stdout: `${JSON.stringify({ ...ann, areaIsNew: true, overlaps: [] })}\n`,
      stderr: '',
      exit: 0,
    })
    expect(await readdir(area)).toEqual([])

    const verified = await spawn('account', 'verify', '1')
    expect(verified).toEqual({ stdout: 'Now account 1 (Photos) is verified.\n', stderr: '', exit: 0 })

    const listed = await spawn('account', 'list')
    expect(listed.stdout).toBe(`ID  NAME    VERIFIED  AREA\n1   Photos  yes       ${area}\n`)

    const unverified = await spawn('--json', 'account', 'unverify', '1')
    expect(JSON.parse(unverified.stdout)).toEqual(ann)

    await writeFile(join(area, 'kept.txt'), 'kept')
    const deleted = await spawn('account', 'delete', '1')
    expect(deleted.stdout).toContain(`Its files stay in ${area}`)
    expect(await readdir(area)).toEqual(['kept.txt'])
  })

  it('says of an account that is not verified how to verify it', async () => {
    const { run } = await freshCanopy()
    expect((await run('account', 'create')).stdout).toContain('until `canopy account verify 1`')
    expect((await run('account', 'create', '--verified')).stdout).not.toContain('canopy account verify')
  })

  it('takes the id it is given, and else the smallest that neither an account nor a directory has', async () => {
    const { directory, json } = await freshCanopy()
    expect(await json('account', 'create', '--id', '0')).toMatchObject({ id: '0', name: null })
    expect(await json('account', 'create', '--id', '41')).toMatchObject({ id: '41' })
    await mkdir(join(directory, 'data/areas/1'))
    expect(await json('account', 'create', '--verified')).toMatchObject({ id: '2', verified: true })
    expect(await json('account', 'list')).toMatchObject([{ id: '0' }, { id: '2' }, { id: '41' }])
  })

  it('never gives the files of a deleted account to a new one', async () => {
    const { json } = await freshCanopy()
    expect(await json('account', 'create')).toMatchObject({ id: '1' })
    await json('account', 'delete', '1')
    expect(await json('account', 'create')).toMatchObject({ id: '2' })
  })

  it('makes the area in a directory below the storage, or in any by its absolute path', async () => {
    const { directory, json } = await freshCanopy()
    const below = join(directory, 'data/areas/people/ann')
    const elsewhere = join(directory, 'elsewhere')
    expect(await json('account', 'create', '--area', 'people/ann')).toMatchObject({ area: below })
    expect(await json('account', 'create', '--area', elsewhere)).toMatchObject({ area: elsewhere })
    await access(below)
    await access(elsewhere)
  })

  it('says of a directory that it is new and empty: a path may be misspelled', async () => {
    const { directory, json, run } = await freshCanopy()
    const photos = join(directory, 'photos')
    await mkdir(photos)
    expect((await run('account', 'create', '--verified', '--area', photos)).stdout).toBe(
      `Made account 1, verified.\nIts files: ${photos}\n`,
    )
    expect((await run('account', 'create', '--verified', '--area', join(directory, 'phtos'))).stdout).toBe(
      `Made account 2, verified.\nIts files: ${join(directory, 'phtos')}\nThe directory is new, and empty.\n`,
    )
    expect(await json('account', 'create', '--area', photos)).toMatchObject({ areaIsNew: false })
  })

  it('says of a directory which other areas, and what of Canopy, it holds; that is allowed', async () => {
    const { directory, json, run } = await freshCanopy()
    const areas = join(directory, 'data/areas')
    await run('account', 'create')
    expect((await run('account', 'create', '--verified', '--area', join(areas, '1/photos'))).stdout).toContain(
      'Mind its directory: it lies in the area of account 1.\n',
    )
    // By another way to the same place.
    await symlink(join(areas, '1'), join(directory, 'link'))
    expect(await json('account', 'create', '--area', join(directory, 'link'))).toMatchObject({
      overlaps: ['it is the same directory as the area of account 1', 'it holds the area of account 2'],
    })
    expect(await json('account', 'create', '--area', areas)).toMatchObject({
      overlaps: ['it is the storage itself', 'it holds the areas of accounts 1, 2, 3'],
    })
    expect(await json('account', 'create', '--area', directory)).toMatchObject({
      overlaps: [
        'it holds the data directory',
        'it holds the storage',
        'it holds the areas of accounts 1, 2, 3 and 1 more',
      ],
    })
    expect(await json('account', 'create', '--area', join(directory, 'link2/deep'))).toMatchObject({
      overlaps: ['it lies in the area of account 5'],
    })
    // A name that begins alike is another directory.
    await run('account', 'delete', '5')
    await run('account', 'delete', '4')
    expect(await json('account', 'create', '--area', join(areas, '11'))).toMatchObject({ overlaps: [] })
    expect(await json('account', 'create', '--area', '/')).toMatchObject({
      overlaps: [
        'it holds the data directory',
        'it holds the storage',
        expect.stringContaining('accounts 1, 2, 3 and'),
      ],
    })
  })

  it('makes no account when its directory cannot be made', async () => {
    const { directory, json, run } = await freshCanopy()
    expect(await run('account', 'create', '--area', '../outside')).toMatchObject({
      exit: 1,
      stdout: '',
      stderr: expect.stringContaining('give its absolute path'),
    })
    await mkdir(join(directory, 'data/areas'), { recursive: true })
    await writeFile(join(directory, 'data/areas/file'), '')
    expect(await json('account', 'create', '--area', 'file')).toMatchObject({ error: 'area not creatable' })
    expect(await json('account', 'list')).toEqual([])
  })

  it('refuses an id that is in use, and one that is none', async () => {
    const { json, run } = await freshCanopy()
    await run('account', 'create', '--id', '7')
    expect(await run('account', 'create', '--id', '7')).toEqual({
      stdout: '',
      stderr: 'canopy: there is an account 7 already: choose another --id, or leave it out for the next free one\n',
      exit: 1,
    })
    expect(await json('account', 'create', '--id', '7')).toMatchObject({ error: 'account exists' })
    expect(await run('account', 'create', '--id', '07')).toMatchObject({ exit: 2 })
    expect(await run('account', 'create', '--name', '')).toMatchObject({ exit: 2 })
    expect(await run('account', 'create', '--area', '')).toMatchObject({ exit: 2 })
    await run('account', 'create', '--id', '18446744073709551615')
    expect(await json('account', 'create')).toMatchObject({ id: '1' })
  })

  it('says of an account that does not exist how to see or make accounts', async () => {
    const { run } = await freshCanopy()
    for (const command of ['verify', 'unverify', 'delete']) {
      expect(await run('account', command, '5')).toEqual({
        stdout: '',
        stderr:
          'canopy: there is no account 5: `canopy account list` shows the accounts, `canopy account create --id 5` makes it\n',
        exit: 1,
      })
    }
    expect(await run('account', 'list')).toMatchObject({
      stdout: 'There are no accounts: `canopy account create` makes one.\n',
    })
  })
})
