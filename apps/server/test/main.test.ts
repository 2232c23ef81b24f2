import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { freePort, listening, worldWith } from '@canopy/test-support'
import { expect, it } from 'vitest'
import { ended, main, outputOf, seedData, serverOver, startServer, type Variables, type Words } from './startServer.js'

const over = serverOver((data) => seedData(data, worldWith([])), { CANOPY_WORKRES: '3' })
const run = (variables: Variables, ...words: Words) => ended({ CANOPY_DATA: over.data, ...variables }, ...words)

it('--check passes beside a running server, and reports unknown variables', async () => {
  const { code, text: said } = await run({ CANOPY_PORT: `${over.server.port}`, CANOPY_WORKRES: '3' }, '--check')
  expect([code, said]).toEqual([0, expect.stringMatching(/^canopy: the server can start\n.*CANOPY_WORKRES/)])
})

it('unknown variables are logged', () => {
  expect(over.server.lines[0]).toMatchObject({ level: 40, variables: ['CANOPY_WORKRES'] })
})

it('--check reports every problem at once', async () => {
  const variables = {
    CANOPY_REGISTRY: 'sqlite:/nowhere/registry.sqlite',
    CANOPY_STORAGE: 'file:/nowhere',
    CANOPY_HOST: 'unknown.invalid',
    CANOPY_METRICS_PORT: '9464',
    CANOPY_METRICS_HOST: '192.0.2.1',
  }
  const { code, text: said } = await run(variables, '--check')
  expect([code, said]).toEqual([1, expect.stringMatching(/^canopy: the server cannot start\n/)])
  for (const problem of [
    '/nowhere/registry.sqlite',
    'cannot read the storage: ENOENT',
    '. Mount the disk, or create the directory (`canopy account create` creates the storage directory)\n',
    '(CANOPY_HOST) must be an address of this machine',
    '(CANOPY_METRICS_HOST) must be an address of this machine',
  ])
    expect(said).toContain(problem)
})

it.each(['', '--check'])('every wrong variable is reported: %s', async (words) => {
  const wrong = { CANOPY_PORT: '99999', CANOPY_LOG: 'loud' }
  const { code, text: said } = await run(wrong, ...words.split(' ').filter(Boolean))
  expect([code, said]).toEqual([1, expect.stringMatching(/CANOPY_PORT.*CANOPY_LOG|CANOPY_LOG.*CANOPY_PORT/s)])
})

it('a server without a registry does not start, and names the command that creates one', async () => {
  const file = join(over.data, 'none.sqlite')
  const said = expect.stringContaining('canopy account create')
  expect(await run({ CANOPY_REGISTRY: `sqlite:${file}` })).toEqual({ code: 1, text: said })
  expect(existsSync(file)).toBe(false)
})

it('a server starts without the directory of the areas, and logs that it is missing', async () => {
  const server = await startServer({ CANOPY_DATA: over.data, CANOPY_STORAGE: 'file:///nowhere' })
  await server.until('not ready')
  expect(server.said('not ready')).toMatchObject([{ part: 'storage', cause: expect.stringMatching(/^ENOENT/) }])
  expect(await server.end()).toBe(0)
})

it.each([
  ['CANOPY_PORT', '1'],
  ['CANOPY_METRICS_PORT', '1'],
  ['CANOPY_PORT', '4'],
])('a server does not start on an occupied port: %s, %s workers', async (name, CANOPY_WORKERS) => {
  const why = new RegExp(`^canopy: the server did not start\n.*EADDRINUSE.*: choose another port \\(${name}\\)\n$`)
  const { code, text: said } = await run({ CANOPY_PORT: '0', [name]: `${over.server.port}`, CANOPY_WORKERS })
  expect([code, said]).toEqual([1, expect.stringMatching(why)])
})

it('--health asks the configured address', async () => {
  const file = join(over.data, 'health.env')
  writeFileSync(file, `CANOPY_HOST=::1\nCANOPY_PORT=${await freePort()}\n`)
  const why = /^canopy: the server is not healthy\n {2}http:\/\/\[::1\]:.* is not responding: .*ECONNREFUSED.*\n$/
  expect(await run({ CANOPY_CONFIG: file }, '--health')).toEqual({ code: 1, text: expect.stringMatching(why) })
  writeFileSync(file, `CANOPY_PORT=${over.server.port}\n`)
  expect(await run({ CANOPY_CONFIG: file }, '--health')).toEqual({ code: 0, text: '' })
  const hung = createServer()
  writeFileSync(file, `CANOPY_PORT=${await listening(hung)}\n`)
  const late = expect.stringMatching(/is not responding: no response within 3000 ms\n$/)
  expect(await run({ CANOPY_CONFIG: file }, '--health')).toEqual({ code: 1, text: late })
  hung.close()
})

it.each([
  ['--check', 'the server cannot start'],
  ['--health', 'the server is not healthy'],
  ['', 'the server did not start'],
])('a removed working directory is reported: %s', async (words, failed) => {
  const directory = mkdtempSync(join(over.data, 'removed-'))
  const first = ['sh', '-c', 'cd "$0" && rmdir "$0" && exec "$@"', directory]
  const text = `canopy: ${failed}\n  the working directory no longer exists: change to another one\n`
  expect(await outputOf({}, [main, ...words.split(' ').filter(Boolean)], first)).toEqual({ code: 1, text })
})

it('control characters of the environment are escaped', async () => {
  const { text: said } = await run({ CANOPY_CONFIG: '/nowhere\r\u001b[2J' })
  expect(said).toContain('/nowhere\\u{d}\\u{1b}[2J')
  const { text: checked } = await run({ CANOPY_PORT: '0', 'CANOPY_\u001b[2J': '' }, '--check')
  expect(checked).toContain('unknown variable CANOPY_\\u{1b}[2J (is it misspelled?)')
})
