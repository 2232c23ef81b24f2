import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { again, type Canopy, expireAll, freshCanopy } from './canopyIn.js'

interface Demo {
  readonly account: { readonly id: string; readonly area: string; readonly verified: boolean }
  readonly token: string
  readonly trigger: { readonly id: string }
  readonly urls: ReadonlyArray<{ readonly url: string }>
}

const demoOf = async ({ json }: Canopy) => (await json('demo')) as Demo
const changesOf = async ({ directory, json }: Canopy, id: string) => ({
  files: await readdir(join(directory, 'data/areas'), { recursive: true }),
  memory: await readFile(join(directory, 'data/demo.json'), 'utf8'),
  rememberedAt: (await stat(join(directory, 'data/demo.json'))).mtimeMs,
  accounts: await json('account', 'list'),
  tokens: await json('token', 'list', id),
  settings: await json('visibility', 'list', id),
  triggers: await json('trigger', 'list'),
})

describe('canopy demo', () => {
  it('prints URLs of the explorer and all operations, the same on each run', async () => {
    const canopy = await freshCanopy({ CANOPY_HOST: '0.0.0.0', CANOPY_PORT: '8765' })
    const first = await canopy.spawn('demo')
    expect(first).toMatchObject({ exit: 0, stderr: '' })
    const before = await changesOf(canopy, '1')
    const token = /cnp_[A-Za-z0-9_-]{43}/.exec(first.stdout)?.[0] ?? 'none'
    const { id } = (before.triggers as ReadonlyArray<{ readonly id: string }>)[0] ?? { id: 'none' }
    const [title, ...lines] = first.stdout.split('\n')
    const base = '  http://127.0.0.1:8765'
    expect([title, ...lines.filter((line) => line.startsWith('  '))]).toEqual([
      'The explorer, in a browser:',
      `${base}/`,
      `${base}/browse/#token=${token}`,
      `${base}/browse/id/1`,
      `${base}/api/storage/v1/tree/${token}`,
      `${base}/api/usercontent/v1/tree/id/1`,
      `${base}/api/usercontent/v1/tree/id/1/photos/drafts`,
      `${base}/api/usercontent/v1/tree/id/1/diary`,
      `${base}/api/storage/v1/diritems/${token}`,
      `${base}/api/usercontent/v1/diritems/id/1`,
      `${base}/api/triggers/v1/peek/${id}`,
    ])

    expect(before.settings).toMatchObject([
      { path: '/', visibility: 'public', exists: true },
      { path: '/diary', visibility: 'private', exists: true },
      { path: '/photos/drafts', visibility: 'hidden', exists: true },
      { path: '/photos/drafts/press', visibility: 'public', exists: true },
      { path: '/photos/drafts/surprise.txt', visibility: 'hidden', exists: true },
    ])
    expect(await canopy.run('demo')).toEqual(first)
    expect(await changesOf(canopy, '1')).toEqual(before)
    expect(await canopy.run('doctor')).toMatchObject({ exit: 0 })
  })

  it.runIf(process.platform === 'linux')('creates nothing if it cannot write its memory', async () => {
    const fresh = await freshCanopy()
    const canopy = again(fresh, {
      CANOPY_DATA: '/proc/writes/nothing',
      CANOPY_STORAGE: `file:${fresh.directory}/areas`,
      CANOPY_REGISTRY: 'sqlite:registry.sqlite',
    })
    expect(await canopy.run('demo')).toMatchObject({ stderr: expect.stringContaining('cannot write'), exit: 1 })
    expect(await canopy.json('account', 'list')).toEqual([])
  })

  it('keeps the changes of an operator', async () => {
    const canopy = await freshCanopy()
    const { account } = await demoOf(canopy)
    await canopy.run('account', 'unverify', '1')
    await canopy.run('visibility', 'set', '1', '/', 'private')
    await canopy.run('visibility', 'remove', '1', '/diary')
    await writeFile(join(account.area, 'welcome.txt'), 'mine')
    await rm(join(account.area, 'diary'), { recursive: true })
    const before = await changesOf(canopy, '1')
    expect(await demoOf(canopy)).toMatchObject({ account: { verified: false } })
    expect(await changesOf(canopy, '1')).toEqual(before)
    expect(await readFile(join(account.area, 'welcome.txt'), 'utf8')).toBe('mine')
    expect((await canopy.run('demo')).stdout).toContain('`canopy account verify 1`')
    // The demo never restores removed settings, not even all of them: visitors could see private files again.
    canopy.byHand('delete from settings; delete from tokens; delete from triggers')
    await demoOf(canopy)
    expect(await canopy.json('visibility', 'list', '1')).toEqual([])
  })

  it.each([
    ['are gone', (canopy: Canopy) => canopy.byHand('delete from tokens; delete from triggers')],
    ['have expired', (canopy: Canopy) => canopy.byHand(`${expireAll('tokens')}; ${expireAll('triggers')}`)],
  ])('creates a new token and a new trigger when the old ones %s', async (_, end) => {
    const canopy = await freshCanopy()
    const old = await demoOf(canopy)
    end(canopy)
    const renewed = await demoOf(canopy)
    expect(renewed.account).toEqual(old.account)
    expect(renewed.token).not.toBe(old.token)
    expect(renewed.trigger.id).not.toBe(old.trigger.id)
    expect(await demoOf(canopy)).toEqual(renewed)
  })

  it('recreates a missing directory or a missing account, and adopts no other account', async () => {
    const canopy = await freshCanopy()
    const { account } = await demoOf(canopy)
    await rm(account.area, { recursive: true })
    await demoOf(canopy)
    expect(await readdir(account.area)).toEqual(['diary', 'photos', 'welcome.txt'])
    await canopy.run('account', 'delete', '1', '--yes')
    await canopy.run('account', 'create', '--id', '1', '--name', 'other')
    expect(await demoOf(canopy)).toMatchObject({ account: { id: '2', name: 'demo' } })
    expect(await canopy.json('token', 'list', '1')).toEqual([])
  })

  it('refuses a file that it did not write, with a hint', async () => {
    const canopy = await freshCanopy()
    const file = join(canopy.directory, 'data/demo.json')
    await mkdir(join(canopy.directory, 'data'))
    for (const text of ['{"token":"mine"}', '{"account":"7","trigger":"ring"}', 'not JSON', '[]']) {
      await writeFile(file, text)
      const stderr = expect.stringContaining(`${file} was not written by the demo: remove the file`)
      expect(await canopy.run('demo')).toEqual({ stdout: '', stderr, exit: 1 })
    }
  })
})
