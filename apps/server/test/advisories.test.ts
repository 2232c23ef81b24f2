import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RawResponse, request } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { serverOver } from './startServer.js'

// What befell file servers like this one and the libraries that it is made of, by class: each asks a server that runs. The ids
// are those of the advisories, at github.com/advisories and cve.org.

const areas = [
  ['1/open/a.txt', '1/open/inner/SECRET', '1/shared/one.txt', '1/shared/two.txt', '1/uploads/SECRET'],
  ['1/uploads_backup/kept.txt', '1/public/seen.txt', '1/public_not/SECRET', '11/SECRET'],
].flat()

describe('the classes of what befell others', { timeout: 60_000 }, () => {
  const tokens: Record<string, string> = {}
  const over = serverOver(
    async (data) => {
      for (const id of ['1', '11']) await canopy(data, 'account', 'create', '--id', id, '--verified')
      await canopy(data, 'account', 'create', '--id', '3')
      for (const path of areas) {
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
      for (const scope of ['/', '/shared/one.txt', '/uploads', '/public'])
        tokens[scope] = (await canopy(data, 'token', 'issue', '1', '--scope', scope)).token
    },
    { CANOPY_WORKERS: '2', CANOPY_METRICS_PORT: '0', CANOPY_FAILED_LOOKUPS: '0' },
  )

  const ask = (target: string, headers: ReadonlyArray<readonly [string, string]> = [], method = 'GET') =>
    request(over.server.port, { method, target, headers: [['Host', 'x'], ...headers] })
  const said = ({ status, body }: RawResponse): string => `${status} ${body.toString()}`
  const visitor = (path: string): string => `/api/usercontent/v1/tree/id/1${path}`
  const owner = (scope: string, path = ''): string => `/api/storage/v1/tree/${tokens[scope]}${path}`

  type Row = readonly [who: string, ids: string, what: string, paths: ReadonlyArray<string>, scope: string]

  it.each<Row>([
    ['filebrowser', 'GHSA-4mh3-h929-w968', 'doubled slashes', ['/open//inner', '//open/inner', '/open/inner//'], ''],
    ['filebrowser', 'GHSA-9f3r-2vgw-m8xp', 'dots behind the check', ['/open/../uploads', '/open/x/../inner'], ''],
    ['filebrowser', 'GHSA-239w-m3h6-ch8v, CVE-2026-54094', 'links', ['/open/link', '/open/linked/SECRET'], ''],
    ['filebrowser', 'GHSA-j9jx-hp4c-ghhh', 'rules below what is shared', ['/open/inner', '/open/inner/SECRET'], ''],
    ['filebrowser', 'CVE-2026-35605', 'prefixes without a separator', ['/uploads', '/public_not', '/publi'], ''],
    ['filebrowser', 'GHSA-5ww9-jg6q-38r7', 'prefixes of a scope', ['/uploads_backup', '/upload'], '/uploads'],
    [
      'copyparty, HFS',
      'CVE-2023-37474, CVE-2008-0405',
      'encoded ways up',
      ['/%2Fetc%2Fpasswd', '/open/%2e%2e/uploads', '/open/..%2fuploads', '/open/..%252fuploads', '/..%2f11'],
      '',
    ],
    [
      'copyparty',
      'CVE-2025-58753, GHSA-67rw-2x62-mqqm',
      'what is beside a share of one file',
      ['', '/shared', '/shared/two.txt', '/shared/one.txt/../two.txt', '/shared/one.tx'],
      '/shared/one.txt',
    ],
    ['Caddy', 'CVE-2026-27585, GHSA-qrp7-cvwr-j2c6', 'backslashes', ['/open\\..\\uploads', '/open%5Cinner'], ''],
    ['Caddy', 'CVE-2026-27587', 'another case', ['/UPLOADS', '/open/INNER', '/open/%49nner'], ''],
  ])('%s (%s): %s show nothing', async (_, __, ___, paths, scope) => {
    for (const path of paths) {
      const target = scope === '' ? visitor(path) : owner(scope, path)
      for (const each of [target, target.replace('/tree/', '/diritems/')])
        expect([each, said(await ask(each))]).toEqual([each, expect.stringMatching(/^40[034] \{"type":"error"/)])
    }
    for (const shown of [
      visitor('/uploads_backup'),
      owner('/uploads', '/uploads'),
      owner('/shared/one.txt', '/shared/one.txt'),
    ])
      expect((await ask(shown)).status).toBe(200)
  })

  /** Each connection is for either of the two processes. */
  const statuses = async (target: string): Promise<ReadonlyArray<number>> => {
    const seen = new Set<number>()
    for (let times = 0; times < 12; times += 1) seen.add((await ask(target)).status)
    return [...seen]
  }

  it('filebrowser (CVE-2026-35604, CVE-2025-53826): the next request of any process sees what was changed', async () => {
    const [asOwner, asVisitor] = [owner('/public', '/public?depth=0'), visitor('/public?depth=1')]
    const file = visitor('/public/seen.txt')
    const peek = '/api/triggers/v1/peek/advisory'
    const max = '18446744073709551615'
    for (const target of [asOwner, asVisitor, file]) expect(await statuses(target)).toEqual([200])
    for (const [words, target, status, shown] of [
      [`trigger create --type bell --id advisory --value {"n":${max}}`, peek, 200, max],
      ['trigger delete advisory', peek, 404, 'trigger not found'],
      ['visibility set 1 /public/seen.txt private', file, 403, 'permission denied'],
      ['visibility remove 1 /public/seen.txt', file, 200, 'seen.txt'],
      ['visibility set 1 /public private', asVisitor, 403, 'permission denied'],
      ['visibility set 1 /public hidden', asVisitor, 200, '"visibility":"hidden"'],
      ['visibility set 1 /public public', asVisitor, 200, '"visibility":"public"'],
      ['account unverify 1', asOwner, 403, 'not verified'],
      ['account verify 1', asOwner, 200, 'public'],
      [`token revoke ${tokens['/public']}`, asOwner, 401, 'invalid token'],
    ] as const) {
      await canopy(over.data, ...words.split(' '))
      expect([words, await statuses(target)]).toEqual([words, [status]])
      expect(said(await ask(target))).toContain(shown)
    }
  })

  // In every spelling and place: the canary.
  it('filebrowser (CVE-2025-52901), HFS (CVE-2026-61501): no line, metric or answer repeats a token, or is forged', async () => {
    const token = tokens['/'] ?? ''
    const spelled = token.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`)
    const answers: Array<string> = []
    for (const method of ['GET', 'POST'])
      for (const each of [token, spelled])
        for (const target of [
          `/${each}?token=${each}`,
          visitor(`/${each}/%0a%7b%22msg%22%3a%22forged%22%7d%3cscript%3e`),
        ]) {
          const { headers, body } = await ask(target, [['Referer', `http://x/${token}`]], method)
          answers.push(JSON.stringify(headers), body.toString())
        }
    await expect.poll(() => JSON.stringify(over.server.lines)).toContain('script')
    expect(over.server.said('forged')).toEqual([])
    for (const sink of [JSON.stringify(over.server.lines), await over.server.metrics(), answers.join()])
      for (const secret of [token.slice(4), spelled.slice(12)]) expect(sink).not.toContain(secret)
  })

  it('HFS (CVE-2026-61503), filebrowser (CVE-2026-23849): what is missing and what is closed answer alike', async () => {
    const bytes = async (user: string) => said(await ask(`/api/usercontent/v1/tree/id/${user}`))
    expect([await bytes('999'), await bytes('3')]).toEqual([await bytes('11'), await bytes('11')])
    expect(said(await ask(visitor('/uploads/SECRET')))).toBe(said(await ask(visitor('/uploads/none'))))
  })

  it('HFS (CVE-2026-61502): no method and no parameter changes anything', async () => {
    const before = said(await ask(owner('/')))
    const file = owner('/', '/shared/one.txt')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'MKCOL', 'PROPPATCH'])
      expect((await ask(file, [], method)).status).toBe(405)
    await ask(`${file}?method=DELETE&_method=DELETE&delete&visibility=public`)
    expect(said(await ask(owner('/')))).toBe(before)
  })

  it('Koa (CVE-2026-27959, CVE-2025-32379): no Host is believed, and no answer redirects', async () => {
    const askAs = (target: string, host: string) =>
      request(over.server.port, { method: 'GET', target, headers: [['Host', host]] })
    for (const host of ['x:y@evil.example', 'evil.example@x', 'x/evil', 'x\\evil'])
      expect((await askAs('/', host)).status).toBe(400)
    for (const target of [
      '//evil.example/..',
      '/\\evil.example',
      '/docs/..//evil.example',
      '/browse',
      '/?next=javascript:',
    ]) {
      const { status, headers } = await askAs(target, 'evil.example')
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
      expect((await ask(visitor('/open'), [[header, odd]])).status).toBeLessThan(500)
    for (const part of ['-a', '/a', '%2F', '.', '//'])
      expect((await ask(visitor(part.repeat(20_000 / part.length)))).status).toBeLessThan(500)
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
