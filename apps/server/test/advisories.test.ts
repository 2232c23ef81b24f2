import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { serverOver } from './startServer.js'

// Published faults of other file servers and of our libraries, by class: github.com/advisories and cve.org have the ids.
// Canaries cover tokens in logs; scenarios cover paths, hosts, scopes, methods and answers that must be alike.
describe('faults of other servers', { timeout: 60_000 }, () => {
  const over = serverOver(
    async (data) => {
      await canopy(data, 'account', 'create', '--id', '1', '--name', 'one', '--verified')
      for (const path of ['1/open/a.txt', '1/public/seen.txt']) {
        mkdirSync(join(data, 'areas', path, '..'), { recursive: true })
        writeFileSync(join(data, 'areas', path), 'x')
      }
      for (const path of ['/open', '/public']) await canopy(data, 'visibility', 'set', '1', path, 'public')
    },
    { CANOPY_WORKERS: '2', CANOPY_FAILED_LOOKUPS: '0' },
  )

  const ask = (target: string, headers: Readonly<Record<string, string>> = {}) =>
    request(over.server.port, { method: 'GET', target, headers: Object.entries({ Host: 'x', ...headers }) })
  const visitor = (path: string): string => `/api/usercontent/v1/tree/id/1${path}`

  it('filebrowser CVE-2026-35604: both processes obey a change once the command has returned', async () => {
    const { token } = await canopy(over.data, 'token', 'issue', '1', '--scope', '/public')
    const [owner, folder] = [`/api/storage/v1/tree/${token}/public?depth=0`, visitor('/public?depth=1')]
    const [file, peek] = [visitor('/public/seen.txt'), '/api/triggers/v1/peek/advisory']
    const changes: ReadonlyArray<readonly [string, string, number, string]> = [
      [
        'trigger create --type bell --id advisory --value {"n":18446744073709551615}',
        peek,
        200,
        '18446744073709551615',
      ],
      ['trigger delete advisory', peek, 404, 'trigger not found'],
      ['visibility set 1 /public/seen.txt private', file, 403, 'permission denied'],
      ['visibility remove 1 /public/seen.txt', file, 200, 'seen.txt'],
      ['visibility set 1 /public private', folder, 403, 'permission denied'],
      ['visibility set 1 /public hidden', folder, 200, '"visibility":"hidden"'],
      ['account unverify 1', owner, 403, 'not verified'],
      ['account verify 1', owner, 200, 'public'],
      [`token revoke ${token}`, owner, 401, 'invalid token'],
    ]
    /** Each connection is accepted by either process. */
    const statuses = async (target: string) => {
      const seen = new Set<number>()
      for (let times = 0; times < 12; times += 1) seen.add((await ask(target)).status)
      return [...seen]
    }
    for (const target of [owner, folder, file]) expect(await statuses(target)).toEqual([200])
    for (const [words, target, status, shown] of changes) {
      await canopy(over.data, ...words.split(' '))
      expect([words, await statuses(target)]).toEqual([words, [status]])
      expect(String((await ask(target)).body)).toContain(shown)
    }
  })

  it('Koa CVE-2025-25200, path-to-regexp CVE-2024-45296: no header or path is slow to match', async () => {
    const odd = `${','.repeat(8_000)}${' '.repeat(8_000)}x`
    const began = performance.now()
    const names = ['X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Forwarded-For', 'Accept-Encoding', 'If-None-Match']
    for (const name of names) expect((await ask(visitor('/open'), { [name]: odd })).status).toBeLessThan(500)
    for (const part of ['-a', '/a', '%2F', '.', '//'])
      expect((await ask(visitor(part.repeat(20_000 / part.length)))).status).toBeLessThan(500)
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
