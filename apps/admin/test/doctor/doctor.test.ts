import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Canopy, freshCanopy } from '../canopyIn.js'

interface Finding {
  readonly kind: string
  readonly account: string
  readonly path: string | null
  readonly message: string
}

const withAccount = async (): Promise<Canopy & { readonly area: string }> => {
  const canopy = await freshCanopy()
  await canopy.run('account', 'create', '--verified')
  return { ...canopy, area: join(canopy.directory, 'data/areas/1') }
}

const findings = async ({ json }: Canopy) => (await json('doctor')) as ReadonlyArray<Finding>

describe('canopy doctor', () => {
  it('finds nothing where nothing needs attention, with exit code 0', async () => {
    const { area, run, spawn } = await withAccount()
    await mkdir(join(area, 'photos'))
    await run('visibility', 'set', '1', '/', 'public')
    await run('visibility', 'set', '1', '/photos', 'private')
    await run('token', 'issue', '1', '--expires', '30d')
    expect(await spawn('doctor')).toEqual({
      stdout: 'Nothing needs attention. Accounts looked at: 1.\n',
      stderr: '',
      exit: 0,
    })
    expect(await spawn('doctor', '--json')).toEqual({ stdout: '[]\n', stderr: '', exit: 0 })
  })

  it('lists what it finds, with exit code 1', async () => {
    const { run, spawn } = await withAccount()
    await run('visibility', 'set', '1', '/', 'public')
    await run('visibility', 'set', '1', '/not there', 'hidden')
    const message = "set hidden, but no node exists there: make the node, or `canopy visibility remove 1 '/not there'`"
    expect(await spawn('doctor')).toEqual({
      stdout: `account 1 /not there: orphan setting: ${message}\n\nFindings: 1. Accounts looked at: 1.\n`,
      stderr: '',
      exit: 1,
    })
    const asJson = await spawn('doctor', '--json')
    expect(asJson).toMatchObject({ stderr: '', exit: 1 })
    expect(JSON.parse(asJson.stdout)).toEqual([{ kind: 'orphan setting', account: '1', path: '/not there', message }])
  })

  it('finds what is set public or hidden below a private directory', async () => {
    const canopy = await withAccount()
    await mkdir(join(canopy.area, 'a/b'), { recursive: true })
    await canopy.run('visibility', 'set', '1', '/a', 'hidden')
    await canopy.run('visibility', 'set', '1', '/a/b', 'public')
    expect(await findings(canopy)).toEqual([
      {
        kind: 'unlisted below private',
        account: '1',
        path: '/a',
        message: expect.stringContaining(
          'set hidden below /, which is private: visitors who know the name are answered',
        ),
      },
    ])
  })

  it('finds names that cannot be listed, and paths that are too long', async () => {
    const canopy = await withAccount()
    await writeFile(Buffer.concat([Buffer.from(`${canopy.area}/caf`), Buffer.from([0xe9])]), '')
    await mkdir(join(canopy.area, ...Array.from({ length: 256 }, () => 'x')), { recursive: true })
    expect(await findings(canopy)).toEqual([
      { kind: 'unlistable name', account: '1', path: '/', message: expect.stringContaining('caf\\xe9') },
      { kind: 'path too long', account: '1', path: '/x'.repeat(255), message: expect.stringContaining('255 names') },
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
    }
    await rm(canopy.area, { recursive: true })
    expect(await findings(canopy)).toEqual([missing])
    await writeFile(canopy.area, 'a file in its place')
    expect(await findings(canopy)).toEqual([missing])
  })

  it('finds expired tokens', async () => {
    const canopy = await withAccount()
    const { tokenId } = (await canopy.json('token', 'issue', '1', '--expires', '2020-01-01')) as { tokenId: string }
    expect(await findings(canopy)).toEqual([
      {
        kind: 'expired token',
        account: '1',
        path: null,
        message: `token ${tokenId} opens nothing any more: \`canopy token revoke ${tokenId}\` forgets it`,
      },
    ])
  })
})
