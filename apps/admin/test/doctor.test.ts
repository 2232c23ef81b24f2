import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area, U64, type UserId } from '@canopy/domain'
import type { RegistryReader } from '@canopy/registry/admin'
import { fsStorage, StorageRoot } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { doctor } from '../src/doctor.js'
import { type Canopy, expireAll, freshCanopy } from './canopyIn.js'

interface Finding {
  readonly kind: string
  readonly account: string | null
  readonly path: string | null
  readonly trigger: string | null
  readonly message: string
  readonly note: boolean
}

const withAccount = async (): Promise<Canopy & { readonly area: string }> => {
  const canopy = await freshCanopy()
  await canopy.run('account', 'create', '--verified')
  return { ...canopy, area: join(canopy.directory, 'data/areas/1') }
}

const findings = async ({ json }: Canopy) => (await json('doctor')) as ReadonlyArray<Finding>

describe('canopy doctor', () => {
  it('finds nothing where nothing needs attention, with exit code 0', async () => {
    const { area, run } = await withAccount()
    await mkdir(join(area, 'photos'))
    await run('visibility', 'set', '1', '/', 'public')
    await run('visibility', 'set', '1', '/photos', 'private')
    await run('token', 'issue', '1', '--expires', '30d')
    expect(await run('doctor')).toEqual({
      stdout: 'Nothing needs attention. Accounts looked at: 1; triggers: 0.\n',
      stderr: '',
      exit: 0,
    })
    expect(await run('doctor', '--json')).toEqual({ stdout: '[]\n', stderr: '', exit: 0 })
  })

  it('lists what it finds, with exit code 1', async () => {
    const { run, spawn } = await withAccount()
    await run('visibility', 'set', '1', '/', 'public')
    await run('visibility', 'set', '1', '/not there', 'hidden')
    const message = "set hidden, but no node exists there: make the node, or `canopy visibility remove 1 '/not there'`"
    expect(await spawn('doctor')).toEqual({
      stdout: `account 1 /not there: orphan setting: ${message}\n\nFindings: 1. Accounts looked at: 1; triggers: 0.\n`,
      stderr: '',
      exit: 1,
    })
    const asJson = await run('doctor', '--json')
    expect(asJson).toMatchObject({ stderr: '', exit: 1 })
    expect(JSON.parse(asJson.stdout)).toEqual([
      { kind: 'orphan setting', account: '1', path: '/not there', message, trigger: null, note: false },
    ])
  })

  it('makes no registry, and says what does', async () => {
    const { directory, json, run } = await freshCanopy()
    const message = expect.stringMatching(/^no registry at sqlite:.*: `canopy account create` makes one; /)
    expect(await json('doctor')).toEqual({ error: 'registry unavailable', message })
    expect(await run('doctor')).toMatchObject({ stdout: '', exit: 1 })
    expect(await readdir(directory)).toEqual([])
  })

  it('brings no registry of an older version up to date, and says what does', async () => {
    const canopy = await withAccount()
    canopy.byHand(`delete from canopy_migration where name like '0006%'`)
    const older = {
      error: 'registry unavailable',
      message: expect.stringMatching(/older Canopy: `canopy registry migrate`/),
    }
    expect(await canopy.json('doctor')).toEqual(older)
    expect(await canopy.json('doctor')).toEqual(older)
  })

  it('finds a registry that is damaged, where the server would answer 401 to a valid token', async () => {
    const canopy = await withAccount()
    await canopy.run('token', 'issue', '1')
    canopy.byHand(`pragma writable_schema = on;
      update sqlite_schema set sql = replace(sql, '("account")', '("scope")') where name = 'tokens_by_account'`)
    expect(await findings(canopy)).toMatchObject([
      {
        kind: 'damaged registry',
        account: null,
        path: null,
        trigger: null,
        message:
          'row 1 missing from index tokens_by_account: it may answer wrongly, so stop the server and restore the copy of your last backup',
        note: false,
      },
    ])
    expect(await canopy.run('doctor')).toMatchObject({
      stdout: expect.stringMatching(/^registry sqlite:\/.*\/registry\.sqlite: damaged registry: row 1 missing/),
      exit: 1,
    })
  })

  it('finds a storage that is not there, also where there is no account', async () => {
    const canopy = await freshCanopy()
    await canopy.run('trigger', 'create', '--type', 'copy')
    expect(await findings(canopy)).toMatchObject([{ kind: 'missing storage', account: null }])
  })

  it('finds a storage that is not there, also when every area lies elsewhere', async () => {
    const canopy = await freshCanopy()
    await canopy.run('account', 'create', '--area', join(canopy.directory, 'elsewhere'))
    expect(await findings(canopy)).toEqual([])
    await rm(join(canopy.directory, 'data/areas'), { recursive: true })
    expect(await findings(canopy)).toMatchObject([
      { kind: 'missing storage', account: null, path: null, trigger: null },
    ])
    expect(await canopy.run('doctor')).toMatchObject({
      stdout: expect.stringMatching(/^storage \/.*\/areas: missing storage: ENOENT.*mount it/),
      exit: 1,
    })
  })

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

  it('finds expired tokens', async () => {
    const canopy = await withAccount()
    const { tokenId } = (await canopy.json('token', 'issue', '1', '--expires', '30d')) as { tokenId: string }
    canopy.byHand(expireAll('tokens'))
    expect(await findings(canopy)).toEqual([
      {
        kind: 'expired token',
        account: '1',
        path: null,
        message: `token ${tokenId} opens nothing any more: \`canopy token revoke ${tokenId}\` forgets it`,
        trigger: null,
        note: false,
      },
    ])
  })

  it('notes the scope of a token where no node exists, which needs no attention', async () => {
    const canopy = await withAccount()
    const { tokenId } = (await canopy.json('token', 'issue', '1', '--scope', '/phtos')) as { tokenId: string }
    expect(await findings(canopy)).toEqual([
      {
        kind: 'orphan scope',
        account: '1',
        path: '/phtos',
        message: `the scope of token ${tokenId}, but no node exists there: make the node, or \`canopy token revoke ${tokenId}\``,
        trigger: null,
        note: true,
      },
    ])
    expect(await canopy.run('doctor')).toMatchObject({ exit: 0 })
    await mkdir(join(canopy.area, 'phtos'))
    expect(await findings(canopy)).toEqual([])
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

  it('finds triggers that have expired, and those that somebody else broke', async () => {
    const canopy = await freshCanopy()
    await mkdir(join(canopy.directory, 'data/areas'), { recursive: true })
    await canopy.run('trigger', 'create', '--type', 'copy', '--id', '-old')
    canopy.byHand(expireAll('triggers'))
    for (const id of ['fine', 'broken']) await canopy.run('trigger', 'create', '--type', 'copy', '--id', id)
    canopy.byHand(`update triggers set value = 's3cret' where id = 'broken'`)
    const found = (kind: string, trigger: string, message: unknown) => ({
      kind,
      account: null,
      path: null,
      trigger,
      message,
      note: false,
    })
    const expired = 'nobody finds it any more: `canopy trigger delete -- -old` forgets it'
    expect(await findings(canopy)).toEqual([
      found('expired trigger', '-old', expired),
      found('broken trigger', 'broken', expect.stringContaining('`canopy trigger delete broken`')),
    ])
    const { stdout, exit } = await canopy.run('doctor')
    expect([stdout.split('\n'), exit]).toEqual([
      [
        `trigger -old: expired trigger: ${expired}`,
        expect.stringMatching(/^trigger broken: broken trigger: /),
        '',
        'Findings: 2. Accounts looked at: 0; triggers: 3.',
        '',
      ],
      1,
    ])
  })
})

it('an account that is deleted while it is looked at is no finding', async () => {
  const id = U64.clamp(1n) as UserId.UserId
  const gone = () => TE.left({ error: 'no such account', id } as const)
  const registry: RegistryReader = {
    accounts: {
      all: TE.right([
        {
          id,
          name: O.none,
          verified: true,
          location: Area.location('canopy-deleted-meanwhile'),
          isMountPoint: false,
          areaMade: false,
        },
      ]),
      find: gone,
    },
    tokens: { of: gone },
    settings: { of: gone },
    triggers: { all: TE.right([]) },
    place: 'nowhere',
    damage: TE.right([]),
    close: T.of(undefined),
  }
  const root = E.getOrElseW((problem: string): never => expect.fail(problem))(
    StorageRoot.fromText('/')(`file:${tmpdir()}`),
  )
  const lines: Array<string> = []
  const whenSlow = (line: string) => {
    lines.push(line)
    return <A>(task: T.Task<A>) => task
  }
  const answer = await doctor({
    registry,
    root,
    data: '/nowhere',
    storage: fsStorage(root),
    now: U64.zero,
    whenSlow,
  })()
  expect(answer).toEqual(
    E.right({ json: [], lines: ['Nothing needs attention. Accounts looked at: 1; triggers: 0.'], exit: 0 }),
  )
  // Also where that is all there is to say for minutes.
  expect(lines).toEqual([`still walking the area of account 1, ${tmpdir()}/canopy-deleted-meanwhile`])
})
