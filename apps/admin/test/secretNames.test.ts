import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area, StoragePath, U64, type UserId, type Visibility } from '@canopy/domain'
import { fsStorage, StorageRoot } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isSecretName, openedLines, secretsOpened } from '../src/secretNames.js'

const owner = U64.clamp(1n) as UserId.UserId
const publicRoot = new Map<StoragePath.StoragePath, Visibility.Visibility>([[StoragePath.root, 'public']])

describe('a name that usually holds secrets', () => {
  it.each([
    '.git .hg .svn .env .envrc .env.production .ENV .htpasswd .ssh .gnupg .aws .kube .docker .npmrc .netrc .pgpass',
    '.git-credentials id_rsa id_dsa id_ecdsa id_ed25519 id_ed25519_sk a.pem server.key a.ppk a.p12 a.pfx a.kdbx a.kdb',
  ])('is each of %s', (names) => {
    expect(names.split(' ').filter((name) => !isSecretName(name))).toEqual([])
  })

  it.each([
    '.gitignore .github git env .env.example .env.sample .env.template .htaccess .sshd id_rsa.pub xid_rsa key .key .pem',
    'a.pem.txt a.keys monkey kdbx .environment',
  ])('is none of %s', (names) => {
    expect(names.split(' ').filter(isSecretName)).toEqual([])
  })
})

describe('the search for what a setting opens', () => {
  it('looks at so many nodes, nearest first, and says that it did not look at all', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'canopy-secrets-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    await mkdir(join(directory, 'a/a/.git'), { recursive: true })
    for (const path of ['b', '.env', 'a/.env', 'a/a/.env']) await writeFile(join(directory, path), '')
    const root = E.getOrElseW((problem: string): never => expect.fail(problem))(
      StorageRoot.fromText('/')(`file:${directory}`),
    )
    const search = (most?: number) =>
      secretsOpened(
        fsStorage(root),
        { owner, location: Area.location('.') },
        publicRoot,
        StoragePath.root,
        () => undefined,
        most,
      )()
    const found = (await search()).secrets.map(({ path }) => path)
    expect(found).toEqual(['/.env', '/a/.env', '/a/a/.env', '/a/a/.git'])
    expect(await search()).toMatchObject({ isWhole: true })
    expect(openedLines(owner, await search())).toHaveLength(4)
    const part = await search(4)
    expect(part).toMatchObject({ secrets: [{ path: '/.env' }, { path: '/a/.env' }], isWhole: false })
    expect(openedLines(owner, part).at(-1)).toBe(
      'Not all that this opens was searched for names of secrets: `canopy doctor` searches all.',
    )
  })
})
