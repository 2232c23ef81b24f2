import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Area, StoragePath, U64, type UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import type { Trouble } from '@canopy/storage-fs/admin'
import { describe, expect, it } from 'vitest'
import { troubleFinding } from '../src/fileAreas.js'
import { again, type Canopy, expireAll, findings, freshCanopy, withAccount, withFiles } from './canopyIn.js'

const found = (kind: string, message: unknown, about: object = {}) => ({
  kind,
  account: '1',
  path: null,
  trigger: null,
  message,
  note: false,
  ...about,
})

const set = async ({ run }: Canopy, settings: Readonly<Record<string, string>>): Promise<void> => {
  for (const [path, visibility] of Object.entries(settings)) await run('visibility', 'set', '1', path, visibility)
}

describe('canopy doctor', () => {
  it('lists its findings and exits with 1; without any it exits with 0', async () => {
    const canopy = await withAccount()
    await canopy.run('token', 'issue', '1', '--expires', '30d')
    const nothing = 'No findings. Checked 1 account and 0 triggers.\n'
    expect(await canopy.run('doctor')).toEqual({ stdout: nothing, stderr: '', exit: 0 })
    await set(canopy, { '/': 'public', '/not there': 'hidden' })
    const message =
      "the path is set to hidden, but does not exist: create it, or run `canopy visibility remove 1 '/not there'`"
    const stdout = `account 1 /not there: orphan setting: ${message}\n\n1 finding. Checked 1 account and 0 triggers.\n`
    expect(await canopy.run('doctor')).toEqual({ stdout, stderr: '', exit: 1 })
    expect(await canopy.run('doctor', '--json')).toMatchObject({ stderr: '', exit: 1 })
    expect(await findings(canopy)).toEqual([found('orphan setting', message, { path: '/not there' })])
  })

  it('finds a damaged registry', async () => {
    const canopy = await withAccount()
    await canopy.run('token', 'issue', '1')
    canopy.byHand(`pragma writable_schema = on;
      update sqlite_schema set sql = replace(sql, '("account")', '("scope")') where name = 'tokens_by_account'`)
    const message =
      'row 1 missing from index tokens_by_account. Responses may be wrong: stop the server and restore your last backup'
    expect(await findings(canopy)).toEqual([found('damaged registry', message, { account: null })])
  })

  it('finds a missing storage even if no area is in it', async () => {
    const canopy = await freshCanopy()
    await canopy.run('trigger', 'create', '--type', 'copy')
    const message = expect.stringMatching(
      /^the server is not ready .* while the storage is unavailable: ENOENT.*'\. Mount the disk/,
    )
    expect(await findings(canopy)).toEqual([found('missing storage', message, { account: null })])
    await canopy.run('account', 'create', '--area', join(canopy.directory, 'elsewhere'))
    expect(await findings(canopy)).toEqual([])
    await rm(join(canopy.directory, 'data/areas'), { recursive: true })
    expect(await findings(canopy)).toEqual([found('missing storage', message, { account: null })])
  })

  it('finds expired tokens, and notes scopes without a node', async () => {
    const canopy = await withAccount()
    const issued = async (...options: ReadonlyArray<string>) =>
      ((await canopy.json('token', 'issue', '1', ...options)) as { tokenId: string }).tokenId
    const expired = await issued('--expires', '30d')
    canopy.byHand(expireAll('tokens'))
    const message = `token ${expired} has expired: run \`canopy token revoke ${expired}\` to remove it`
    expect(await findings(canopy)).toEqual([found('expired token', message)])
    await canopy.run('token', 'revoke', expired)
    const orphan = await issued('--scope', '/phtos')
    const scope = `token ${orphan} is limited to this path, but the path does not exist: create it, or run \`canopy token revoke ${orphan}\``
    expect(await findings(canopy)).toEqual([found('orphan scope', scope, { path: '/phtos', note: true })])
    expect(await canopy.run('doctor')).toMatchObject({ exit: 0 })
    await mkdir(join(canopy.area, 'phtos'))
    expect(await findings(canopy)).toEqual([])
  })

  it('finds expired and broken triggers', async () => {
    const canopy = await withAccount()
    await canopy.run('trigger', 'create', '--type', 'copy', '--id', '-old')
    canopy.byHand(expireAll('triggers'))
    for (const id of ['fine', 'broken']) await canopy.run('trigger', 'create', '--type', 'copy', '--id', id)
    canopy.byHand(`update triggers set value = 's3cret' where id = 'broken'`)
    const expired = 'the trigger has expired: run `canopy trigger delete -- -old` to delete it'
    const broken = expect.stringContaining('`canopy trigger delete broken`')
    expect(await findings(canopy)).toEqual([
      found('expired trigger', expired, { account: null, trigger: '-old' }),
      found('broken trigger', broken, { account: null, trigger: 'broken' }),
    ])
  })
})

describe('canopy doctor in an area', () => {
  it('finds a visible node below a private directory', async () => {
    const canopy = await withAccount()
    await mkdir(join(canopy.area, 'a/b/c'), { recursive: true })
    await set(canopy, { '/': 'public', '/a': 'private', '/a/b/c': 'hidden' })
    const message = expect.stringMatching(
      /^the path is set to hidden, but its parent \/a\/b is private: visitors who know the path can request it, .*make it public and make \/a\/b public or hidden; to block access, make it private$/,
    )
    expect(await findings(canopy)).toEqual([found('private parent', message, { path: '/a/b/c' })])
    expect(await canopy.run('doctor')).toMatchObject({ exit: 1 })
  })

  it.each([
    ['by default', {}],
    ['as a whole', { '/': 'private' }],
  ])('only notes a visible node in an area that is private %s', async (_, closing) => {
    const canopy = await withAccount()
    await mkdir(join(canopy.area, 'a/b'), { recursive: true })
    await mkdir(join(canopy.area, 'c/d'), { recursive: true })
    await set(canopy, { ...closing, '/a': 'hidden', '/a/b': 'public', '/c/d': 'public' })
    const note = (path: string, message: string) =>
      found('private parent', expect.stringContaining(message), { path, note: true })
    expect(await findings(canopy)).toEqual([
      note('/a', 'the path is set to hidden, but its parent / is private: visitors who know the path can request it'),
      note('/c/d', 'the path is set to public, but its parent /c is private'),
    ])
    expect(await canopy.run('doctor')).toMatchObject({ exit: 0 })
    await set(canopy, { '/not there': 'private' })
    expect(await canopy.run('doctor')).toMatchObject({
      stdout: expect.stringMatching(/^note: account 1 .*\n1 finding, 2 notes\. Checked 1 account and 0 triggers\.\n$/s),
      exit: 1,
    })
  })

  it('notes how many symbolic links an area has', async () => {
    const canopy = await withAccount()
    for (const name of ['one', 'other']) await symlink('/etc', join(canopy.area, name))
    const message = '2 symbolic links skipped: Canopy does not follow symbolic links, so clients do not see them'
    expect(await findings(canopy)).toEqual([found('symbolic links', message, { note: true })])
  })

  it('finds an area without its directory, and no orphan settings in it', async () => {
    const canopy = await withAccount()
    await set(canopy, { '/': 'public', '/photos': 'public' })
    const missing = (why: string) => [found('missing area', expect.stringContaining(`${canopy.area} ${why}`))]
    await rm(canopy.area, { recursive: true })
    expect(await findings(canopy)).toEqual(missing('does not exist'))
    await writeFile(canopy.area, 'a file in its place')
    expect(await findings(canopy)).toEqual(missing('is not a directory'))
  })

  it('finds an unmounted area, and does not inspect it', async () => {
    const canopy = await withAccount()
    await set(canopy, { '/not there': 'private' })
    canopy.byHand('update accounts set mount_point = 1')
    const message = expect.stringMatching(
      /nothing is mounted there now, .*mount its disk, or run `canopy account update 1 .*` to serve/,
    )
    expect(await findings(canopy)).toEqual([found('area not mounted', message)])
    await canopy.run('account', 'update', '1', '--area', '1')
    expect(await findings(canopy)).toMatchObject([{ kind: 'orphan setting' }])
  })

  it('finds exposed secrets, and only notes those with their own setting', async () => {
    const inSite = ['site/.git/server.key', 'site/.env', 'site/keys/id_rsa', 'site/keys/id_rsa.pub']
    const canopy = await withFiles(...inSite, 'closed/.ssh/a', '.aws/a')
    await set(canopy, { '/.aws': 'hidden', '/closed': 'private', '/closed/.ssh/a': 'public', '/site/.env': 'private' })
    const secret = (path: string, note: boolean) => {
      const who = note ? 'visitors who know the path can request it' : 'visitors can see it'
      const message = expect.stringMatching(`^${who}, .*\`canopy visibility set 1 ${path} private\``)
      return found('exposed secret', message, { path, note })
    }
    const secrets = (await findings(canopy)).filter(({ kind }) => kind === 'exposed secret')
    expect([...secrets].sort((one, other) => (String(one.path) < String(other.path) ? -1 : 1))).toEqual([
      secret('/.aws', true),
      secret('/closed/.ssh/a', true),
      secret('/site/.git', false),
      secret('/site/keys/id_rsa', false),
    ])
    expect(await canopy.run('doctor')).toMatchObject({ exit: 1 })
  })

  it('notes each pair of overlapping areas once', async () => {
    const canopy = await withAccount()
    await mkdir(join(canopy.area, 'photos'))
    for (const area of [join(canopy.area, 'photos'), '1', canopy.directory])
      await canopy.run('account', 'create', '--area', area)
    const note = (account: string, message: string) =>
      found('overlapping areas', expect.stringMatching(`^the directory ${message}: `), { account, note: true })
    expect(await findings(canopy)).toEqual([
      note('1', 'is the same directory as the area of account 3; contains the area of account 2'),
      note('3', 'contains the area of account 2'),
      note('4', 'contains the data directory; contains the storage; contains the areas of accounts 1, 2, 3'),
    ])
    expect(await canopy.run('doctor')).toMatchObject({ exit: 0 })
  })
})

const [root, photos] = [StoragePath.root, StoragePath.unsafe('/photos')]

// Root can read every directory, so the test makes these findings.
it.each<[Trouble, string, string, string?]>([
  [{ finding: 'directory not readable', directory: root, errno: 'EACCES' }, 'unreadable directory', 'EACCES', '/'],
  [{ finding: 'directory not readable', directory: root, errno: 'ENOENT' }, 'missing area', 'does not exist'],
  // Removed during the walk.
  [{ finding: 'directory not readable', directory: photos, errno: 'ENOENT' }, 'unreadable directory', '', '/photos'],
  [{ finding: 'node not known', path: photos, errno: 'ENOTCONN' }, 'unreadable entry', '(ENOTCONN)', '/photos'],
  [{ finding: 'names are folded', directory: photos }, 'case-insensitive names', 'differ only in case', '/photos'],
])('reports trouble of the storage: %j as %s', (trouble, kind, message, path) => {
  const account = { id: U64.clamp(1n) as UserId.UserId, location: Area.location('canopy-deleted') } as Account
  const found = troubleFinding(account, '/areas/1', trouble)
  expect([found.kind, found.path, found.note ?? false]).toEqual([kind, path, kind === 'case-insensitive names'])
  expect(found.message).toContain(message)
})

it('an account that is deleted during the walk has no findings', async () => {
  const canopy = await withAccount()
  await set(canopy, { '/not there': 'hidden' })
  const { run } = again(canopy, {}, { showProgress: () => canopy.byHand('delete from settings; delete from accounts') })
  expect((await run('doctor')).stdout).toBe('No findings. Checked 1 account and 0 triggers.\n')
})
