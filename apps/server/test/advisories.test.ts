import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RawResponse, request } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { serverOver } from './startServer.js'

// What befell file servers like this one and the libraries that it is made of, by class: each asks a server that runs. The ids
// are those of the advisories, at github.com/advisories and cve.org.

describe('the classes of what befell others', { timeout: 60_000 }, () => {
  const over = serverOver(
    async (data) => {
      await canopy(data, 'account', 'create', '--id', '1', '--name', 'one', '--verified')
      await canopy(data, 'account', 'create', '--id', '11', '--name', 'other', '--verified')
      await canopy(data, 'account', 'create', '--id', '3', '--name', 'unverified')
      for (const path of [
        '1/open/a.txt',
        '1/open/inner/SECRET',
        '1/shared/one.txt',
        '1/shared/two.txt',
        '1/uploads/SECRET',
        '1/uploads_backup/other.txt',
        '1/public/seen.txt',
        '1/public_not/SECRET',
        '11/SECRET',
      ]) {
        mkdirSync(join(data, 'areas', path, '..'), { recursive: true })
        writeFileSync(join(data, 'areas', path), 'x')
      }
      mkdirSync(join(data, 'outside'))
      writeFileSync(join(data, 'outside/SECRET'), 'x')
      symlinkSync(join(data, 'outside'), join(data, 'areas/1/open/linked'))
      symlinkSync(join(data, 'outside/SECRET'), join(data, 'areas/1/open/link'))
      for (const path of ['/open', '/uploads_backup', '/public'])
        await canopy(data, 'visibility', 'set', '1', path, 'public')
      for (const path of ['/open/inner', '/uploads']) await canopy(data, 'visibility', 'set', '1', path, 'private')
    },
    { CANOPY_WORKERS: '2', CANOPY_METRICS_PORT: '0', CANOPY_FAILED_LOOKUPS: '0' },
  )

  const issue = async (...words: ReadonlyArray<string>): Promise<string> =>
    (await canopy(over.data, 'token', 'issue', '1', ...words)).token

  const ask = (target: string, headers: ReadonlyArray<readonly [string, string]> = [['Host', 'x']], method = 'GET') =>
    request(over.server.port, { method, target, headers })
  const said = ({ status, body }: RawResponse): string => `${status} ${body.toString()}`
  const visitor = (path: string): string => `/api/usercontent/v1/tree/id/1${path}`
  const owner = (token: string, path = ''): string => `/api/storage/v1/tree/${token}${path}`

  /** Each connection is for either of the two processes. */
  const statuses = async (target: string): Promise<ReadonlyArray<number>> => {
    const seen = new Set<number>()
    for (let times = 0; times < 12; times += 1) seen.add((await ask(target)).status)
    return [...seen]
  }

  it.each([
    ['filebrowser', 'GHSA-4mh3-h929-w968', 'doubled slashes', ['/open//inner', '//open/inner', '/open/inner//']],
    ['filebrowser', 'GHSA-9f3r-2vgw-m8xp', 'dots behind the check', ['/open/../uploads', '/open/x/../inner']],
    [
      'filebrowser',
      'GHSA-239w-m3h6-ch8v, CVE-2026-54094',
      'links out of the scope',
      ['/open/link', '/open/linked/SECRET'],
    ],
    [
      'copyparty, HFS',
      'CVE-2023-37474, CVE-2008-0405',
      'encoded ways up',
      [
        '/%2Fetc%2Fpasswd',
        '/open/%2e%2e/uploads',
        '/open/..%2fuploads',
        '/open/%2e%2e%2f%2e%2e%2f11',
        '/open/..%252fuploads',
      ],
    ],
    [
      'Caddy',
      'CVE-2026-27585, GHSA-qrp7-cvwr-j2c6',
      'backslashes',
      ['/open\\..\\uploads', '/open%5Cinner', '/open/..%5c..%5cuploads'],
    ],
    ['Caddy', 'CVE-2026-27587', 'another case', ['/UPLOADS', '/open/INNER', '/open/%49nner']],
  ])('path: %s (%s), %s show nothing', async (_, __, ___, paths) => {
    for (const path of paths)
      for (const target of [visitor(path), visitor(path).replace('/tree/', '/diritems/')]) {
        const answer = said(await ask(target))
        expect([target, answer]).toEqual([target, expect.stringMatching(/^40[034] \{"type":"error"/)])
      }
  })

  it('scope: copyparty (CVE-2025-58753, GHSA-67rw-2x62-mqqm), a share of one file opens no file beside it', async () => {
    const token = await issue('--scope', '/shared/one.txt')
    expect((await ask(owner(token, '/shared/one.txt'))).status).toBe(200)
    for (const path of ['', '/shared', '/shared/two.txt', '/shared/one.txt/../two.txt', '/shared/one.tx'])
      expect([path, said(await ask(owner(token, path)))]).toEqual([path, expect.stringMatching(/^40[34] /)])
  })

  it('scope: filebrowser (GHSA-j9jx-hp4c-ghhh), what is shared keeps the rules below it', async () => {
    expect(said(await ask(visitor('/open')))).not.toContain('inner')
    expect((await ask(visitor('/open/inner'))).status).toBe(403)
  })

  it('prefix without separator: filebrowser (CVE-2026-35605, GHSA-5ww9-jg6q-38r7), a rule or a scope is for whole names', async () => {
    expect((await ask(visitor('/uploads_backup'))).status).toBe(200)
    for (const path of ['/uploads', '/public_not', '/publi']) expect((await ask(visitor(path))).status).toBe(403)
    const token = await issue('--scope', '/uploads')
    expect((await ask(owner(token, '/uploads'))).status).toBe(200)
    for (const path of ['/uploads_backup', '/upload']) expect((await ask(owner(token, path))).status).toBe(403)
    expect((await ask('/api/usercontent/v1/tree/id/11')).status).toBe(403)
  })

  it('late revocation: filebrowser (CVE-2026-35604, CVE-2025-53826), the next request of any process sees what was changed', async () => {
    const token = await issue('--scope', '/public')
    const [asOwner, asVisitor] = [owner(token, '/public?depth=0'), visitor('/public?depth=1')]
    const file = visitor('/public/seen.txt')
    const peek = '/api/triggers/v1/peek/advisory'
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
      ['visibility set 1 /public private', asVisitor, 403, 'permission denied'],
      ['visibility set 1 /public hidden', asVisitor, 200, '"visibility":"hidden"'],
      ['visibility set 1 /public public', asVisitor, 200, '"visibility":"public"'],
      ['account unverify 1', asOwner, 403, 'not verified'],
      ['account verify 1', asOwner, 200, 'public'],
      [`token revoke ${token}`, asOwner, 401, 'invalid token'],
    ]
    for (const target of [asOwner, asVisitor, file]) expect(await statuses(target)).toEqual([200])
    for (const [words, target, status, shown] of changes) {
      await canopy(over.data, ...words.split(' '))
      expect([words, await statuses(target)]).toEqual([words, [status]])
      expect(said(await ask(target))).toContain(shown)
    }
  })

  it('token in logs: filebrowser (CVE-2025-52901), HFS (CVE-2026-61501), no line, metric or answer repeats it, or is forged', async () => {
    const token = await issue('--scope', '/shared')
    const spelled = token.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`)
    const targets = [token, spelled, token.slice(4)].flatMap((each) => [
      owner(each),
      owner(each, '/shared?limit=x'),
      `/api/storage/v2/${each}`,
      `/${each}?token=${each}`,
      visitor(`/${each}`),
      `/api/triggers/v1/peek/${each}`,
      visitor('/open/%0a%7b%22msg%22%3a%22forged%22%7d%3cscript%3e'),
    ])
    const answers: Array<string> = []
    for (const method of ['GET', 'POST'])
      for (const [index, target] of targets.entries()) {
        const { headers, body } = await ask(
          target,
          [
            ['Host', 'x'],
            ['X-Request-Id', `advisory-${method}-${index}`],
            ['Referer', `http://x/${token}`],
            ['User-Agent', token],
          ],
          method,
        )
        answers.push(JSON.stringify(headers), body.toString())
      }
    const requests = () => over.server.lines.filter(({ id }) => String(id).startsWith('advisory-'))
    await expect.poll(() => requests().length, { timeout: 10_000 }).toBe(2 * targets.length)
    expect(over.server.lines.filter(({ msg }) => msg === 'forged')).toEqual([])
    const { url } = over.server.lines.find(({ msg }) => msg === 'metrics') as { readonly url: string }
    const metrics = (await request(Number(new URL(url).port), { method: 'GET', target: '/metrics' })).body.toString()
    for (const sink of [JSON.stringify(over.server.lines), metrics, answers.join()])
      for (const secret of [token.slice(4), spelled, spelled.slice(12)]) expect(sink).not.toContain(secret)
  })

  it('names that can be distinguished: HFS (CVE-2026-61503), filebrowser (CVE-2026-23849), what is missing and what is closed answer alike', async () => {
    const bytes = async (user: string) => said(await ask(`/api/usercontent/v1/tree/id/${user}`))
    const [missing, unverified, closed] = [await bytes('999'), await bytes('3'), await bytes('11')]
    expect([missing, unverified]).toEqual([closed, closed])
    const [there, notThere] = ['SECRET', 'none'].map((name) => visitor(`/uploads/${name}`)) as [string, string]
    expect(said(await ask(there))).toBe(said(await ask(notThere)))
  })

  it('GET that writes: HFS (CVE-2026-61502), no method and no parameter changes anything', async () => {
    const token = await issue()
    const before = said(await ask(owner(token)))
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'MKCOL', 'PROPPATCH'])
      expect((await ask(owner(token, '/shared/one.txt'), [['Host', 'x']], method)).status).toBe(405)
    await ask(owner(token, '/shared/one.txt?method=DELETE&_method=DELETE&delete&visibility=public'))
    expect(said(await ask(owner(token)))).toBe(before)
  })

  it('Koa (CVE-2026-27959, CVE-2025-32379): no Host is believed, and no answer redirects', async () => {
    for (const host of ['x:y@evil.example', 'evil.example@x', 'x/evil', 'x\\evil'])
      expect((await ask('/', [['Host', host]])).status).toBe(400)
    for (const target of [
      '//evil.example/..',
      '/\\evil.example',
      '/docs/..//evil.example',
      '/browse',
      '/?next=javascript:alert(1)',
    ]) {
      const { status, headers } = await ask(target, [['Host', 'evil.example']])
      expect([target, status < 300 || status >= 400]).toEqual([target, true])
      expect(headers.filter(([name]) => name.toLowerCase() === 'location')).toEqual([])
    }
  })

  it('Koa (CVE-2025-25200), path-to-regexp (CVE-2024-45296): no header and no path makes matching slow', async () => {
    const odd = `${','.repeat(8_000)}${' '.repeat(8_000)}x`
    const began = performance.now()
    for (const header of [
      'X-Forwarded-Proto',
      'X-Forwarded-Host',
      'X-Forwarded-For',
      'Accept-Encoding',
      'If-None-Match',
    ])
      expect(
        (
          await ask(visitor('/open'), [
            ['Host', 'x'],
            [header, odd],
          ])
        ).status,
      ).toBeLessThan(500)
    for (const part of ['-a', '/a', '%2F', '.', '//'])
      expect((await ask(`/api/usercontent/v1/tree/id/1${part.repeat(20_000 / part.length)}`)).status).toBeLessThan(500)
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
