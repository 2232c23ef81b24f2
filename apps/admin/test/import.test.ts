import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { postgresIsTested, startPostgres } from '@canopy/test-support'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Canopy, freshCanopy } from './canopyIn.js'

const fileOf = async ({ directory }: Canopy, ...lines: ReadonlyArray<object | string>): Promise<string> => {
  const file = join(directory, 'lines')
  await writeFile(file, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  return file
}

const account = { type: 'account', id: '7', name: 'Photos', verified: true }
const rule = { type: 'rule', account: 7, pattern: '.*', visibility: 'hidden' }
const setting = { type: 'setting', account: 7, path: '2026/', visibility: 'public' }
const token = { type: 'token', account: '7', scope: '/2026', expires: '30d', label: 'phone' }
const trigger = '{"type":"trigger","id":"bell","value":{"type":"b","n":18446744073709551615,"x":1.0}}'

const all = async (canopy: Canopy) => [
  await canopy.json('account', 'list'),
  await canopy.json('token', 'list', '7'),
  await canopy.json('visibility', 'list', '7'),
  await canopy.json('rule', 'list', '7'),
  (await canopy.run('trigger', 'list', '--json')).stdout,
]

describe('canopy import', () => {
  it('adds lines in any order, shows new tokens once, and replaces existing settings', async () => {
    const canopy = await freshCanopy()
    const file = await fileOf(canopy, '\uFEFF', token, `${trigger}\r`, '', setting, rule, { ...account, name: null })
    const { issued, ...counts } = (await canopy.json('import', file)) as { issued: ReadonlyArray<{ token: string }> }
    expect(counts).toEqual({ imported: true, accounts: 1, tokens: 1, settings: 1, rules: 1, triggers: 1 })
    expect(issued).toEqual([expect.objectContaining({ line: 2, account: '7', scope: '/2026', label: 'phone' })])
    expect(await readdir(join(canopy.directory, 'data/areas'))).toEqual(['7'])
    expect(await all(canopy)).toMatchObject([
      [{ id: '7', name: null, verified: true, area: join(canopy.directory, 'data/areas/7') }],
      [{ scope: '/2026', label: 'phone', expires: expect.any(String) }],
      [{ path: '/2026', visibility: 'public' }],
      [{ pattern: '.*', visibility: 'hidden' }],
      expect.stringContaining('{"type":"b","n":18446744073709551615,"x":1.0}'),
    ])
    expect(await canopy.json('token', 'revoke', issued[0]?.token ?? 'none')).toMatchObject({ scope: '/2026' })
    await canopy.json('import', await fileOf(canopy, { ...setting, visibility: 'hidden' }))
    expect(await canopy.json('visibility', 'list', '7')).toMatchObject([{ path: '/2026', visibility: 'hidden' }])
  })

  it.each([
    ['no JSON', /^line 1: not valid JSON: /],
    [{ type: 'acount', id: '8' }, /^line 1: "type" must be one of account, token, setting, rule, trigger/],
    [{ ...account, id: '-1' }, /^line 1: "-1" is not an account ID: use a whole number/],
    [{ ...account, id: undefined }, /^line 1: "id" is missing/],
    [{ ...account, id: '8', name: 'a\0b' }, /^line 1: "name" must be a string or a number, without NUL characters/],
    [{ ...account, id: '8', verified: 'yes' }, /^line 1: "verified" must be true or false/],
    [{ ...token, expire: '30d' }, /^line 1: unknown field "expire": valid fields for "token" are /],
    [{ ...token, expires: '2020-01-01' }, /^line 1: "2020-01-01" is in the past/],
    [{ ...token, account: 9 }, /^line 1: account 9 is neither in the registry nor in the file/],
    [{ ...setting, visibility: 'pubic' }, /^line 1: invalid visibility "pubic"/],
    [{ ...rule, visibility: 'public' }, /^line 1: invalid rule visibility "public"/],
    [{ ...rule, pattern: 'a/b' }, /^line 1: invalid pattern "a\/b"/],
    [{ ...setting, path: 'a//b' }, /^line 1: invalid path "a\/\/b"/],
    [account, /^line 1: account 7 already exists: remove the line/],
    [trigger, /^line 1: a trigger with this ID already exists: remove the line/],
    [{ ...account, id: '9', area: '../../x' }, /^line 1: "\.\.\/\.\.\/x" is outside the storage .*absolute path/],
    [{ ...account, id: '9', area: '/dev/null' }, /^line 1: \/dev\/null or one of its parents is not a directory/],
    [{ ...account, id: '9', area: '/proc/nope' }, /^line 1: \/proc\/nope cannot be created: no directory/],
    [{ ...account, id: '9', area: '~/x' }, /^line 1: "area" must not begin with ~/],
    [{ ...account, id: '9', area: ' x' }, /^line 1: "area" must not begin or end with a space/],
    ['{"type":"trigger","id":"x","value":{"n":1}}', /^line 1: "value": a trigger value must have a "type" field/],
    ['{"type":"trigger","id":"x","value":{"type":"a","type":"b"}}', /^line 1: not valid JSON: Duplicate key/],
  ])('changes nothing if a line is wrong: %j', async (line, message) => {
    const canopy = await freshCanopy()
    await canopy.json('import', await fileOf(canopy, account, token, setting, trigger))
    const before = await all(canopy)
    const good = { ...setting, path: '/other' }
    const file = await fileOf(canopy, line, good, { ...account, id: '8' })
    for (const how of [['--dry-run'], []]) {
      const said = (await canopy.json('import', file, ...how)) as { error: string; message: string }
      expect(said.error).toBe('invalid import file')
      expect(said.message.split('\n').slice(1)).toEqual([expect.stringMatching(message)])
    }
    expect(await all(canopy)).toEqual(before)
    expect(await readdir(join(canopy.directory, 'data/areas'))).toEqual(['7'])
  })

  it('lists all wrong lines in order, including duplicates', async () => {
    const canopy = await freshCanopy()
    await canopy.run('import', '/dev/null')
    const lines = [account, 'x', { ...setting, account: 9 }, { ...account, name: 'Other' }, setting]
    const { exit, stderr } = await canopy.run(
      'import',
      await fileOf(canopy, ...lines, { ...setting, path: '/2026' }, trigger, trigger),
    )
    expect([exit, stderr.replaceAll(/^(line \d+: .{14}).*/gm, '$1')]).toEqual([
      1,
      `canopy: nothing was imported
line 2: not valid JSON
line 3: account 9 is n
line 4: duplicates the
line 6: duplicates the
line 8: duplicates the
correct these lines, then run the command again
`,
    ])
    const many = await fileOf(canopy, ...Array.from({ length: 250 }, () => 'x'))
    expect((await canopy.run('import', many)).stderr).toContain('\nand 150 more\n')
  })

  it('names the lines beyond the limits of rules before it changes anything', async () => {
    const canopy = await freshCanopy()
    await canopy.json('import', await fileOf(canopy, account, rule))
    const rules = Array.from({ length: 100 }, (_, n) => ({ ...rule, pattern: `${n}` }))
    const long = Array.from({ length: 9 }, (_, n) => ({ ...rule, account: 8, pattern: `${n}`.repeat(250) }))
    const file = await fileOf(canopy, ...rules, { ...account, id: '8' }, ...long)
    for (const how of [['--dry-run'], []])
      expect(await canopy.json('import', file, ...how)).toMatchObject({
        error: 'invalid import file',
        message: expect.stringMatching(
          /^nothing was imported\nline 100: account 7 would .*\nline 110: account 8 would .*$/,
        ),
      })
    expect(await readdir(join(canopy.directory, 'data/areas'))).toEqual(['7'])
    expect(await canopy.json('rule', 'list', '7')).toEqual([{ pattern: '.*', visibility: 'hidden' }])
    await canopy.json('import', await fileOf(canopy, ...rules.slice(1), { ...rule, visibility: 'private' }))
    expect(await canopy.json('rule', 'list', '7')).toHaveLength(100)
  })

  it('--dry-run changes nothing and requires a registry', async () => {
    const canopy = await freshCanopy()
    const file = await fileOf(canopy, account, setting, token, trigger)
    expect(await canopy.json('import', file, '--dry-run')).toMatchObject({ error: 'registry unavailable' })
    await canopy.run('import', '/dev/null')
    const counts = { accounts: 1, settings: 1, tokens: 1, rules: 0, triggers: 1 }
    expect(await canopy.json('import', file, '--dry-run')).toEqual({ imported: false, ...counts, issued: [] })
    expect(await canopy.json('account', 'list')).toEqual([])
    expect(await readdir(join(canopy.directory, 'data'))).not.toContain('areas')
  })

  it('adds nothing if the last row fails or a directory cannot be created', async () => {
    const canopy = await freshCanopy()
    const file = await fileOf(canopy, account, setting, token, trigger)
    await canopy.run('import', '/dev/null')
    canopy.byHand(`create trigger full before insert on triggers begin select raise(abort, 'no room'); end`)
    const message = expect.stringContaining('no room')
    expect(await canopy.json('import', file)).toMatchObject({ error: 'external', message })
    expect(await canopy.json('account', 'list')).toEqual([])
    canopy.byHand('drop trigger full')
    // The kernel refuses a directory there, but no check shows that before.
    const elsewhere = await fileOf(canopy, setting, { ...account, area: '/dev/pts/none' })
    expect(await canopy.json('import', elsewhere)).toEqual({
      error: 'cannot create area',
      message: 'nothing was imported: line 2: permission denied: cannot create /dev/pts/none',
      hint: 'create it as a user who has permission, or run Canopy as that user',
    })
    expect(await canopy.json('account', 'list')).toEqual([])
  })

  it.each([
    ['Latin-1', Buffer.from('{"type":"account","id":"7"}\n{"type":"account","name":"Zo\xeb"}\n', 'latin1'), 2],
    ['UTF-16', Buffer.from(`\uFEFF${JSON.stringify(account)}\n`, 'utf16le'), 1],
    ['UTF-16 without a mark', Buffer.from(`${JSON.stringify(account)}\n`, 'utf16le'), 1],
  ])('names the first line of a file in %s', async (_, bytes, line) => {
    const canopy = await freshCanopy()
    await canopy.run('import', '/dev/null')
    await writeFile(join(canopy.directory, 'lines'), bytes)
    const { error, message } = (await canopy.json('import', 'lines')) as { error: string; message: string }
    expect([error, message.split('\n')[1]]).toEqual([
      'invalid import file',
      `line ${line}: not valid UTF-8: save the file as UTF-8`,
    ])
  })
})

const count = 10_000
const ids = Array.from({ length: count / 10 }, (_, n) => `${n + 10}`)
const manyLines = [
  ...ids.map((id) => ({ ...account, id })),
  ...Array.from({ length: count }, (_, n) => ({ ...setting, account: ids[n % 1_000], path: `/p/${n}` })),
  ...ids.map((id) => ({ ...token, account: id })),
  ...ids.map((id) => ({ type: 'trigger', id: `bell ${id}`, value: { type: 'bell' } })),
]

const engines = postgresIsTested ? ['SQLite', 'PostgreSQL'] : ['SQLite']

it.each(engines)('a registry in %s takes 13,000 lines', async (engine) => {
  const variables: Record<string, string> = {}
  if (engine === 'PostgreSQL') {
    const postgres = await startPostgres()
    onTestFinished(postgres.stop)
    variables['CANOPY_REGISTRY'] = await postgres.newDatabase()
  }
  const canopy = await freshCanopy(variables)
  const counts = { accounts: count / 10, tokens: count / 10, settings: count, triggers: count / 10 }
  expect(await canopy.json('import', await fileOf(canopy, ...manyLines))).toMatchObject({ imported: true, ...counts })
  expect(await canopy.json('registry', 'copy', '--to', 'sqlite:copy')).toMatchObject(counts)
})
