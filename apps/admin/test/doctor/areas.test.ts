import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findings, withAccount } from '../doctorIn.js'

describe('canopy doctor', () => {
  it('finds what is set public or hidden below a directory that was set private', async () => {
    const canopy = await withAccount()
    await mkdir(join(canopy.area, 'a/b/c'), { recursive: true })
    for (const [path, visibility] of Object.entries({ '/': 'public', '/a': 'private', '/a/b/c': 'hidden' }))
      await canopy.run('visibility', 'set', '1', path, visibility)
    expect(await findings(canopy)).toEqual([
      {
        kind: 'unlisted below private',
        account: '1',
        path: '/a/b/c',
        message: expect.stringMatching(
          /^set hidden below \/a\/b, which is private: visitors who know the name are answered, .*set this public and \/a\/b public or hidden, or this private$/,
        ),
        trigger: null,
        note: false,
      },
    ])
    expect(await canopy.run('doctor')).toMatchObject({ exit: 1 })
  })

  it.each([
    ['by default', {}],
    ['as a whole', { '/': 'private' }],
  ])('notes what is opened in an area that is private %s, which needs no attention', async (_, closing) => {
    const canopy = await withAccount()
    await mkdir(join(canopy.area, 'a/b'), { recursive: true })
    await mkdir(join(canopy.area, 'c/d'), { recursive: true })
    for (const [path, visibility] of Object.entries({ ...closing, '/a': 'hidden', '/a/b': 'public', '/c/d': 'public' }))
      await canopy.run('visibility', 'set', '1', path, visibility)
    const note = (path: string, message: string) => ({
      kind: 'unlisted below private',
      account: '1',
      path,
      message: expect.stringContaining(message),
      trigger: null,
      note: true,
    })
    expect(await findings(canopy)).toEqual([
      note('/a', 'set hidden below /, which is private: visitors who know the name are answered'),
      note('/c/d', 'set public below /c, which is private'),
    ])
    const { stdout, exit } = await canopy.run('doctor')
    expect([stdout.split('\n'), exit]).toEqual([
      [
        expect.stringMatching(/^note: account 1 \/a: unlisted below private: /),
        expect.stringMatching(/^note: account 1 \/c\/d: /),
        '',
        'Nothing needs attention. Notes: 2. Accounts looked at: 1; triggers: 0.',
        '',
      ],
      0,
    ])
    await canopy.run('visibility', 'set', '1', '/not there', 'private')
    expect(await canopy.run('doctor')).toMatchObject({
      stdout: expect.stringMatching(/\nFindings: 1\. Notes: 2\. Accounts looked at: 1; triggers: 0\.\n$/),
      exit: 1,
    })
  })

  it('finds names that cannot be listed, and paths that are too long', async () => {
    const canopy = await withAccount()
    await writeFile(Buffer.concat([Buffer.from(`${canopy.area}/caf`), Buffer.from([0xe9])]), '')
    await mkdir(join(canopy.area, ...Array.from({ length: 256 }, () => 'x')), { recursive: true })
    expect(await findings(canopy)).toEqual([
      {
        kind: 'unlistable name',
        account: '1',
        path: '/',
        message: expect.stringContaining('caf\\xe9'),
        trigger: null,
        note: false,
      },
      {
        kind: 'path too long',
        account: '1',
        path: '/x'.repeat(255),
        message: expect.stringContaining('255 names'),
        trigger: null,
        note: false,
      },
    ])
  })

  it('finds an area without its directory, and does not take its settings for orphans', async () => {
    const canopy = await withAccount()
    await canopy.run('visibility', 'set', '1', '/', 'public')
    await canopy.run('visibility', 'set', '1', '/photos', 'public')
    const missing = {
      kind: 'missing area',
      account: '1',
      path: null,
      message: expect.stringContaining(`${canopy.area} is no directory`),
      trigger: null,
      note: false,
    }
    await rm(canopy.area, { recursive: true })
    expect(await findings(canopy)).toEqual([missing])
    await writeFile(canopy.area, 'a file in its place')
    expect(await findings(canopy)).toEqual([missing])
  })

  it('finds an area on a mount point where nothing is mounted, and nothing else of it', async () => {
    const canopy = await withAccount()
    await canopy.run('visibility', 'set', '1', '/not there', 'private')
    canopy.byHand('update accounts set mount_point = 1')
    expect(await findings(canopy)).toEqual([
      {
        kind: 'area not mounted',
        account: '1',
        path: null,
        message: expect.stringMatching(
          /nothing is mounted there now, .*mount its disk, or, .*`canopy account update 1 /,
        ),
        trigger: null,
        note: false,
      },
    ])
    await canopy.run('account', 'update', '1', '--area', '1')
    expect(await findings(canopy)).toMatchObject([{ kind: 'orphan setting' }])
  })

  it('finds names of secrets that visitors see or reach; a note where that was set on the node itself', async () => {
    const canopy = await withAccount()
    for (const path of ['site/.git/objects', 'site/keys', 'closed/.ssh', '.aws'])
      await mkdir(join(canopy.area, path), { recursive: true })
    for (const path of [
      'site/.git/server.key',
      'site/.env',
      'site/keys/id_rsa',
      'site/keys/id_rsa.pub',
      'closed/.ssh/a',
    ])
      await writeFile(join(canopy.area, path), '')
    for (const [path, visibility] of Object.entries({
      '/': 'public',
      '/.aws': 'hidden',
      '/closed': 'private',
      '/closed/.ssh/a': 'public',
      '/site/.env': 'private',
    }))
      await canopy.run('visibility', 'set', '1', path, visibility)
    const secrets = (await findings(canopy)).filter(({ kind }) => kind === 'open secret')
    expect(secrets).toEqual(
      [
        ['/site/.git', false, 'visitors can see what usually holds the whole history of a repository: '],
        ['/site/keys/id_rsa', false, 'visitors can see what usually holds a private key: '],
        ['/.aws', true, 'visitors can reach, by its name, what usually holds credentials of a cloud or a cluster: '],
        ['/closed/.ssh/a', true, 'visitors can reach, by its name, what usually holds private keys: '],
      ]
        .map(([path, note, message]) => ({
          kind: 'open secret',
          account: '1',
          path,
          trigger: null,
          message: `${message}\`canopy visibility set 1 ${path} private\``,
          note,
        }))
        .sort(
          (one, other) =>
            secrets.findIndex(({ path }) => path === one.path) - secrets.findIndex(({ path }) => path === other.path),
        ),
    )
    expect(await canopy.run('doctor')).toMatchObject({ exit: 1 })
  })

  it('notes areas that hold others, or what is none of theirs, each pair once', async () => {
    const canopy = await withAccount()
    await mkdir(join(canopy.area, 'photos'))
    for (const area of [join(canopy.area, 'photos'), '1', canopy.directory])
      await canopy.run('account', 'create', '--area', area)
    const note = (account: string, message: string) => ({
      kind: 'overlapping areas',
      account,
      path: null,
      message: expect.stringMatching(message),
      trigger: null,
      note: true,
    })
    expect(await findings(canopy)).toEqual([
      note('1', '^it is the same directory as the area of account 3; it holds the area of account 2: '),
      note('3', '^it holds the area of account 2: '),
      note('4', '^it holds the data directory; it holds the storage; it holds the areas of accounts 1, 2, 3: '),
    ])
    expect(await canopy.run('doctor')).toMatchObject({ exit: 0 })
  })
})
