import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shellWord } from '@canopy/installation'
import { describe, expect, it } from 'vitest'
import { withAccount } from './canopyIn.js'

const withPhotos = async () => {
  const canopy = await withAccount()
  const photos = join(canopy.area, 'photos')
  await mkdir(photos)
  await writeFile(join(photos, 'a%20b.txt'), '')
  return { ...canopy, photos }
}

describe('canopy visibility', () => {
  it('sets, explains, lists and removes settings', async () => {
    const { json, run } = await withPhotos()
    const stdout = 'Set /photos to public.\n'
    expect(await run('visibility', 'set', '1', 'photos/', 'public')).toEqual({ stdout, stderr: '', exit: 0 })
    expect(await json('visibility', 'explain', '1', '/photos/a%20b.txt')).toEqual({
      path: '/photos/a%20b.txt',
      visibility: 'public',
      inherited: true,
      chain: [
        { path: '/photos/a%20b.txt', visibility: null, rule: null },
        { path: '/photos', visibility: 'public', rule: null },
        { path: '/', visibility: null, rule: null },
      ],
      decidedBy: '/photos',
      reachable: true,
      listed: true,
      exists: true,
      verified: true,
    })
    const setting = { path: '/photos', visibility: 'public', inherited: false, exists: true }
    expect(await json('visibility', 'list', '1')).toEqual([setting])
    const removed = 'Removed the setting for /photos. The path is now private (inherited).\n'
    expect((await run('visibility', 'remove', '1', '/photos')).stdout).toBe(removed)
  })

  it('suggests a listed path that differs only in case or Unicode form', async () => {
    const { photos, json, run } = await withPhotos()
    await mkdir(join(photos, 'Caf\u00e9'))
    for (const [path, listed] of [
      ['/Photos', '/photos'],
      ['/PHOTOS/cafe\u0301', '/photos/Caf\u00e9'],
    ] as const) {
      const meant = `Did you mean ${shellWord(listed)}?`
      expect((await run('visibility', 'set', '1', path, 'hidden')).stdout).toContain(meant)
      expect((await run('visibility', 'list', '1')).stdout).toContain(meant)
      expect(await json('visibility', 'list', '1')).toContainEqual(
        expect.objectContaining({ path, exists: false, lookAlike: listed }),
      )
      expect(await json('doctor')).toContainEqual(
        expect.objectContaining({ kind: 'orphan setting', path, message: expect.stringContaining(meant) }),
      )
    }
    expect((await run('visibility', 'set', '1', '/photo', 'hidden')).stdout).not.toContain('did you mean')
  })

  it('sets a path without a node, and says so', async () => {
    const { json, run } = await withPhotos()
    const note = 'The path does not exist yet; the setting applies as soon as it does.'
    expect((await run('visibility', 'set', '1', '/later', 'hidden')).stdout).toBe(`Set /later to hidden.\n${note}\n`)
    const path = '/photos/a%20b.txt/below'
    const setting = { path, visibility: 'hidden', inherited: false, exists: false, secrets: [], searchedAll: true }
    expect(await json('visibility', 'set', '1', path, 'hidden')).toEqual(setting)
    const orphan = /^hidden +\/later +orphaned: the path does not exist$/m
    expect((await run('visibility', 'list', '1')).stdout).toMatch(orphan)
  })

  it('explains the decisive setting and who sees the node', async () => {
    const { run } = await withPhotos()
    await run('visibility', 'set', '1', '/photos', 'public')
    await run('visibility', 'set', '1', '/photos/a%20b.txt', 'hidden')
    expect((await run('visibility', 'explain', '1', 'photos/a%20b.txt')).stdout).toBe(
      [
        '/photos/a%20b.txt is hidden: it has its own setting.',
        '',
        '  /photos/a%20b.txt  hidden      <- this one applies',
        '  /photos            public',
        '  /                  no setting',
        '',
        'The owner can see it with a token.',
        'A visitor can request it by its path.',
        'Visitors do not see it listed in /photos.',
        '',
      ].join('\n'),
    )
    expect((await run('visibility', 'explain', '1', 'other')).stdout).toMatch(
      /^\/other is private: no setting applies to it.*The path does not exist.*gets `permission denied`/s,
    )
  })

  it('reports that the storage did not respond', async () => {
    const { area, json, run } = await withPhotos()
    await rename(area, `${area}gone`)
    const unknown = { exists: null, searchedAll: false }
    expect(await json('visibility', 'set', '1', '/photos', 'public')).toMatchObject(unknown)
    const { stdout: set } = await run('visibility', 'set', '1', '/photos', 'private')
    expect(set).toContain('Run `canopy doctor` to see why')
    expect((await run('visibility', 'list', '1')).stdout).toContain('storage not readable')
    const { stdout } = await run('visibility', 'explain', '1', '/photos')
    expect(stdout).toContain('Canopy could not read the storage')
    expect(stdout).toContain('The owner could see it with a token.')
    expect(stdout).not.toContain('list')
  })

  it('warns of U+FFFD, which replaces bytes that are not UTF-8', async () => {
    const { json, run } = await withPhotos()
    const warning = expect.stringMatching(
      /^Warning: the path contains the Unicode replacement character \(U\+FFFD\)\. If the real name is not valid UTF-8, .*no client can see the real one/,
    )
    for (const words of [
      ['visibility', 'set', '1', '/caf\uFFFD', 'public'],
      ['visibility', 'explain', '1', '/caf\uFFFD'],
      ['token', 'issue', '1', '--scope', '/caf\uFFFD'],
      ['visibility', 'remove', '1', '/caf\uFFFD'],
    ])
      expect(await json(...words)).toMatchObject({ warning })
    expect((await run('visibility', 'set', '1', '/caf\uFFFD', 'public')).stdout.split('\n')).toContainEqual(warning)
    expect(await json('visibility', 'set', '1', '/photos', 'public')).not.toHaveProperty('warning')
  })

  it('warns of secrets that a setting exposes, except those with their own setting', async () => {
    const { photos, json, run } = await withPhotos()
    for (const path of ['.git/objects', '.ssh', 'a/b', 'private']) await mkdir(join(photos, path), { recursive: true })
    for (const path of ['.env.local', '.env.example', 'a/b/Server.PEM', 'a/id_rsa.pub', 'private/.env'])
      await writeFile(join(photos, path), '')
    for (const path of ['/photos/.ssh', '/photos/private'])
      expect(await json('visibility', 'set', '1', path, 'private')).toMatchObject({ secrets: [], searchedAll: true })
    const opened = ['/photos/.env.local', '/photos/.git', '/photos/a/b/Server.PEM']
    const { stdout } = await run('visibility', 'set', '1', '/photos', 'public')
    expect([...stdout.matchAll(/^Warning: (.*?): visitors can see it, /gm)].map(([, path]) => path)).toEqual(opened)
    expect(stdout).toContain('run `canopy visibility set 1 /photos/.git private` to make it private.')
    expect(await json('visibility', 'set', '1', '/photos', 'private')).toMatchObject({ secrets: [] })
  })

  it('warns of secrets at the path, above it, and exposed by a removal', async () => {
    const { photos, json } = await withPhotos()
    await mkdir(join(photos, '.git/objects'), { recursive: true })
    const found = (path: string, listed: boolean) => ({
      secrets: [{ path, holds: "a repository's full history", listed }],
      searchedAll: true,
    })
    expect(await json('visibility', 'set', '1', '/photos/.git', 'hidden')).toMatchObject(found('/photos/.git', false))
    expect(await json('visibility', 'set', '1', '/photos/.git', 'private')).toMatchObject({ secrets: [] })
    const inner = '/photos/.git/objects'
    expect(await json('visibility', 'set', '1', inner, 'public')).toMatchObject(found(inner, false))
    expect(await json('visibility', 'set', '1', '/photos', 'public')).toMatchObject({ secrets: [] })
    expect(await json('visibility', 'remove', '1', '/photos/.git')).toMatchObject(found('/photos/.git', true))
    expect(await json('visibility', 'remove', '1', '/photos')).toMatchObject({ secrets: [] })
  })

  it('refuses invalid arguments and missing settings', async () => {
    const { json, run } = await withPhotos()
    for (const words of ['set 1 /photos secret', 'set 1  public', 'explain 1 a//b', 'remove one /'])
      expect(await run('visibility', ...words.split(' '))).toMatchObject({ stdout: '', exit: 2 })
    expect(await json('visibility', 'remove', '1', '/photos')).toMatchObject({ error: 'no such setting' })
    expect(await json('visibility', 'list', '1')).toEqual([])
    for (const words of ['set 2 / public', 'remove 2 /', 'list 2', 'explain 2 /'])
      expect(await json('visibility', ...words.split(' '))).toMatchObject({ error: 'no such account' })
  })
})
