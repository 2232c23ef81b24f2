import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { attended, freshCanopy } from './canopyIn.js'

describe('canopy account', () => {
  it('creates, lists, verifies, unverifies and deletes accounts', async () => {
    const { directory, run, spawn } = await freshCanopy()
    const area = join(directory, 'data/areas/1')
    const ann = { id: '1', name: 'Photos', verified: false, area, mountPoint: false }
    const stdout = `${JSON.stringify({ ...ann, areaIsNew: true, overlaps: [] })}\n`
    expect(await spawn('account', 'create', '--name', 'Photos', '--json')).toEqual({ stdout, stderr: '', exit: 0 })
    expect(await readdir(area)).toEqual([])
    expect((await run('account', 'unverify', '1')).stdout).toContain('until you run `canopy account verify 1`')
    expect((await run('account', 'verify', '1')).stdout).toBe('Verified account 1 (Photos).\n')
    expect((await run('account', 'list')).stdout).toBe(`ID  NAME    VERIFIED  AREA\n1   Photos  yes       ${area}\n`)
    expect(JSON.parse((await run('--json', 'account', 'unverify', '1')).stdout)).toEqual(ann)
    await writeFile(join(area, 'kept.txt'), 'kept')
    expect((await run('account', 'delete', '1', '--yes')).stdout).toContain(`Its files are still in ${area}.\n`)
    expect(await readdir(area)).toEqual(['kept.txt'])
  })

  it('uses the given id, or the smallest without an account and a directory', async () => {
    const { directory, json } = await freshCanopy()
    expect(await json('account', 'create', '--id', '0')).toMatchObject({ id: '0', name: null })
    expect(await json('account', 'create', '--id', '41')).toMatchObject({ id: '41' })
    await mkdir(join(directory, 'data/areas/1'))
    expect(await json('account', 'create', '--verified')).toMatchObject({ id: '2', verified: true })
    expect(await json('account', 'list')).toMatchObject([{ id: '0' }, { id: '2' }, { id: '41' }])
    // The files of a deleted account are never those of a new one.
    await json('account', 'delete', '2', '--yes')
    expect(await json('account', 'create')).toMatchObject({ id: '3' })
  })

  it('reports overlapping areas', async () => {
    const { directory, json, run } = await freshCanopy()
    const areas = join(directory, 'data/areas')
    await run('account', 'create')
    const { stdout } = await run('account', 'create', '--area', join(areas, '1/photos'))
    expect(stdout).toContain('Note: the directory is inside the area of account 1.\n')
    // A link to the same directory.
    await symlink(join(areas, '1'), join(directory, 'link'))
    const ours = ['contains the data directory', 'contains the storage']
    for (const [area, ...overlaps] of [
      [join(directory, 'link'), 'is the same directory as the area of account 1', 'contains the area of account 2'],
      [areas, 'is the storage itself', 'contains the areas of accounts 1, 2, 3'],
      [directory, ...ours, 'contains the areas of accounts 1, 2, 3 and 1 more'],
      [join(directory, 'link2/deep'), 'is inside the area of account 5'],
    ] as const)
      expect(await json('account', 'create', '--area', area)).toMatchObject({ overlaps })
    // A common prefix of names is no overlap.
    for (const id of ['5', '4']) await run('account', 'delete', id, '--yes')
    expect(await json('account', 'create', '--area', join(areas, '11'))).toMatchObject({ overlaps: [] })
  })

  it('is not created with a wrong option or without its directory', async () => {
    const { directory, json, run } = await freshCanopy()
    const refused = { exit: 1, stdout: '', stderr: expect.stringContaining('use its absolute path') }
    expect(await run('account', 'create', '--area', '../outside')).toMatchObject(refused)
    await mkdir(join(directory, 'data/areas'), { recursive: true })
    await writeFile(join(directory, 'data/areas/file'), '')
    expect(await json('account', 'create', '--area', 'file')).toMatchObject({ error: 'cannot create area' })
    expect(await json('account', 'list')).toEqual([])
    await run('account', 'create', '--id', '7')
    expect(await json('account', 'create', '--id', '7')).toMatchObject({ error: 'account exists' })
    for (const words of ['--id=07', '--name=', '--area=', '--area=~/photos', '--area= photos'])
      expect(await run('account', 'create', words)).toMatchObject({ exit: 2 })
    expect((await run('account', 'update', '7', '--area', '~/photos')).stderr).toMatch(
      /^canopy: --area must not begin with ~/,
    )
    await run('account', 'create', '--id', '18446744073709551615')
    expect(await json('account', 'create')).toMatchObject({ id: '1' })
  })

  it('update changes the name or the directory alone, and moves no files', async () => {
    const { directory, json, run } = await freshCanopy()
    const [first, other] = [join(directory, 'data/areas/1'), join(directory, 'other')]
    await run('account', 'create', '--name', 'one', '--verified')
    const unnamed = { id: '1', name: null, verified: true, area: first, mountPoint: false }
    expect(await json('account', 'update', '1', '--name', 'other')).toEqual({ ...unnamed, name: 'other' })
    expect(await json('account', 'update', '1', '--name', '')).toEqual(unnamed)
    expect(await run('account', 'update', '1')).toMatchObject({ stdout: '', exit: 2 })
    const { stdout } = await run('account', 'update', '1', '--area', other)
    expect(stdout).toContain('The directory is new and empty.')
    expect(stdout).toContain(`No files were moved: the existing ones are still in ${first}.`)
    await run('account', 'create', '--id', '2')
    const back = { name: 'Photos', verified: true, area: first, areaIsNew: false, overlaps: [] }
    expect(await json('account', 'update', '1', '--area', first, '--name', 'Photos')).toMatchObject(back)
    const overlaps = ['is the same directory as the area of account 2']
    expect(await json('account', 'update', '1', '--area', '2')).toMatchObject({ overlaps })
    const refused = { error: 'cannot create area', message: expect.stringMatching(/^nothing was changed: /) }
    expect(await json('account', 'update', '1', '--area', '../out')).toMatchObject(refused)
  })
})

it('account create --recommended-rules adds and prints rules that visitors obey', async () => {
  const canopy = await freshCanopy()
  const { stdout } = await canopy.run('account', 'create', '--verified', '--recommended-rules')
  expect(stdout).toMatch(/^Added rules that make these names private: \.git .* '\*\.kdbx'$/m)
  await canopy.run('visibility', 'set', '1', '/', 'public')
  const explained = await canopy.json('visibility', 'explain', '1', '/app/.ENV.local')
  expect(explained).toMatchObject({ visibility: 'private', reachable: false })
  await canopy.run('account', 'create', '--id', '9')
  expect(await canopy.json('rule', 'list', '9')).toEqual([])
  const { rules } = (await canopy.json('account', 'create', '--recommended-rules')) as { rules: unknown[] }
  expect(rules).toHaveLength(15)
  expect(await canopy.json('rule', 'list', '2')).toEqual(expect.arrayContaining(rules))
})

it('canopy account delete asks for confirmation and lists what it deletes', async () => {
  const canopy = await freshCanopy()
  await canopy.run('account', 'create', '--name', 'Photos')
  const area = join(canopy.directory, 'data/areas/1')
  for (const label of ['a', 'b']) await canopy.run('token', 'issue', '1', '--label', label)
  await canopy.run('visibility', 'set', '1', '/', 'public')
  const asked: Array<string> = []
  const stderr = 'canopy: nothing was deleted\n'
  expect(await attended(canopy, false, asked).run('account', 'delete', '1')).toEqual({ stdout: '', stderr, exit: 1 })
  expect(asked).toEqual([
    `This will delete account 1 (Photos), 2 tokens, 1 visibility setting and 0 rules. Its files are kept in ${area}.\nDelete the account? [y/N] `,
  ])
  expect(await attended(canopy, false).json('account', 'delete', '1')).toMatchObject({ error: 'not confirmed' })
  const withoutTerminal = { stdout: '', stderr: expect.stringMatching(/--yes.*--dry-run/), exit: 2 }
  expect(await canopy.spawn('account', 'delete', '1')).toEqual(withoutTerminal)
  const counts = { tokens: 2, settings: 1, rules: 0, removable: true, deleted: false }
  const record = { id: '1', name: 'Photos', verified: false, area, mountPoint: false, ...counts }
  for (const words of [['--dry-run'], ['--dry-run', '--yes']])
    expect(await canopy.json('account', 'delete', '1', ...words)).toEqual(record)
  expect(await canopy.json('token', 'list', '1')).toHaveLength(2)
  expect(await attended(canopy, true).run('account', 'delete', '1')).toMatchObject({ exit: 0 })
  expect(await canopy.json('account', 'list')).toEqual([])
})

it('canopy account delete suggests removing only a directory of Canopy that nothing overlaps', async () => {
  const { byHand, directory, json, run } = await freshCanopy()
  const [site, area] = [join(directory, 'site'), join(directory, 'data/areas/5')]
  await mkdir(site)
  for (const [words, id, removable] of [
    [`create --area ${site}`, '1', false],
    ['create --id 2', '2', true],
    // Repeating the same directory keeps the record of who created it.
    ['update 2 --area 2', '2', true],
    [`update 1 --area ${site}`, '1', false],
    ['create --id 4', '4', true],
    [`update 4 --area ${site}`, '4', false],
    ['create --id 3 --area 2/inner', '2', false],
    ['list', '3', false],
    ['delete 3 --yes', '2', true],
    ['create --id 5', '5', true],
  ] as const) {
    await run('account', ...words.split(' '))
    const { stdout } = await run('account', 'delete', id, '--dry-run')
    expect([words, stdout.includes('rm -r ')]).toEqual([words, removable])
    expect(await json('account', 'delete', id, '--dry-run')).toMatchObject({ removable })
  }
  await rm(area, { recursive: true })
  await symlink('/proc', area)
  expect(await json('account', 'delete', '5', '--dry-run')).toMatchObject({ removable: false })
  // An account from before this was recorded.
  byHand('update accounts set area_made = 0')
  expect(await json('account', 'delete', '2', '--dry-run')).toMatchObject({ removable: false })
})

it('accounts that are created concurrently get different ids', async () => {
  const { directory, json, run } = await freshCanopy()
  await run('registry', 'migrate', '--create')
  const createdAtOnce = (...words: ReadonlyArray<string>) =>
    Promise.all([1, 2, 3, 4].map(() => json('account', 'create', ...words))) as Promise<
      ReadonlyArray<{ id?: string; error?: string }>
    >
  expect(new Set((await createdAtOnce()).map(({ id }) => id))).toEqual(new Set(['1', '2', '3', '4']))
  expect((await createdAtOnce('--id', '7')).filter(({ error }) => error === 'account exists')).toHaveLength(3)
  expect((await readdir(join(directory, 'data/areas'))).sort()).toEqual(['1', '2', '3', '4', '7'])
})
