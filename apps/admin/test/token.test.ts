import { spawnSync } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AccessToken } from '@canopy/domain'
import { describe, expect, it } from 'vitest'
import { bin, freshCanopy, withAccount } from './canopyIn.js'

type Issued = Readonly<Record<'token' | 'tokenId', string>>

describe('canopy token', () => {
  it('issues, lists and revokes tokens', async () => {
    const { json, run } = await withAccount()
    const options = ['--scope', 'photos/', '--expires', '2030-01-01', '--label', 'for the phone']
    const { token, ...record } = (await json('token', 'issue', '1', ...options)) as Issued
    const shown = {
      tokenId: expect.stringMatching(/^[0-9a-f]{16}$/),
      account: '1',
      scope: '/photos',
      expires: '2030-01-01T00:00:00Z',
      expired: false,
      label: 'for the phone',
    }
    expect(record).toEqual({ ...shown, exists: false, verified: true })
    expect(await json('token', 'list', '1')).toEqual([shown])
    const { tokenId } = (await json('token', 'issue', '1')) as Issued
    const whole = { tokenId, account: '1', scope: '/', expires: null, expired: false, label: null }
    expect(await json('token', 'revoke', tokenId)).toEqual(whole)
    expect(await json('token', 'revoke', tokenId)).toMatchObject({ error: 'no such token' })
    const stdout = `Revoked token ${record.tokenId} of account 1: requests with it now fail with \`invalid token\`.\n`
    expect(await run('token', 'revoke', token)).toEqual({ stdout, stderr: '', exit: 0 })
    expect(await json('token', 'list', '1')).toEqual([])
  })

  it('shows a token once, on its own line and in a link to its scope, and stores only its hash', async () => {
    const { directory, run } = await withAccount()
    const issued = (await run('token', 'issue', '1', '--scope', '/our photos/2024')).stdout
    const [token = '', ...rest] = issued.split('\n')
    expect(AccessToken.is(token)).toBe(true)
    expect(rest.join('\n')).toContain('the only time the token is shown')
    expect(rest.join('\n')).toContain('scope /our photos/2024; never expires')
    const link = `/browse/files/our%20photos/2024#token=${token}&user=1`
    expect(rest[2]).toMatch(/^In the explorer: http:/)
    expect(rest[2]?.endsWith(link)).toBe(true)
    const files = ['registry.sqlite', 'registry.sqlite-wal', 'registry.sqlite-shm'].map((name) =>
      readFile(join(directory, 'data', name), 'latin1').catch(() => ''),
    )
    expect((await Promise.all(files)).join('')).toMatch(/^SQLite/)
    expect((await Promise.all(files)).join('')).not.toContain(token.slice(4))
    expect((await run('token', 'list', '1')).stdout).not.toContain('cnp_')
  })

  it.each(['> /dev/full', '| true', '> /dev/null', '>&-'])('revokes a token that was not shown: %s', async (to) => {
    const { directory, json } = await withAccount()
    // Closes the pipe before the first write.
    const script = `set -o pipefail; node ${bin} token issue 1 ${to}`
    const options = { cwd: directory, env: { PATH: process.env['PATH'] }, encoding: 'utf8' } as const
    const { stderr, status } = spawnSync('bash', ['--norc', '-c', script], options)
    expect(stderr).toMatch(
      /^canopy: cannot write to standard output: .*\ncanopy: the token was revoked \(`canopy token revoke [0-9a-f]{16}`\)\n$/,
    )
    expect(status).toBe(1)
    expect(await json('token', 'list', '1')).toEqual([])
  })

  it('warns of an unverified account and of a scope without a node', async () => {
    const { directory, json, run } = await freshCanopy()
    await run('account', 'create')
    await mkdir(join(directory, 'data/areas/1/photos'))
    const missing = (await run('token', 'issue', '1', '--scope', '/phtos')).stdout
    expect(missing).toContain(
      'until you run `canopy account verify 1`, requests with its tokens fail with `not verified`',
    )
    expect(missing).toContain('The path does not exist yet; the scope applies as soon as it does.\n')
    expect((await run('token', 'issue', '1', '--scope', '/photos')).stdout).not.toContain('does not exist')
    for (const scope of ['/phtos', '/photos', '/'])
      expect(await json('token', 'issue', '1', '--scope', scope)).toMatchObject({ scope, exists: scope !== '/phtos' })
  })

  it('does not repeat a mistyped token', async () => {
    const { run } = await freshCanopy()
    const mistyped = `cnp_${'secret'.repeat(7)}`
    for (const words of [['revoke', mistyped], ['revoke', `x${mistyped}`], ['revoke', mistyped, 'x'], [mistyped]])
      for (const form of [[], ['--json']]) {
        const { stdout, stderr, exit } = await run('token', ...words, ...form)
        expect([exit, (stdout + stderr).includes('secret')]).toEqual([2, false])
      }
    const stderr = "canopy: the token does not exist: run `canopy token list ID` to list an account's token IDs\n"
    const unknown = await run('token', 'revoke', `cnp_${'secrecy'.repeat(6)}A`)
    expect(unknown).toEqual({ stdout: '', stderr, exit: 1 })
  })
})
