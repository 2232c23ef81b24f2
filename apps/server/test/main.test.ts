import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, worldWith } from '@canopy/test-support'
import { request } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { fromVariables } from '../src/config.js'
import { bin } from './canopy.js'
import { plantData } from './plantData.js'
import { ended, main, serverOver } from './startServer.js'

describe('the configuration', () => {
  it('names every problem at once, and repeats no value', () => {
    const wrong = {
      CANOPY_PORT: '80x',
      CANOPY_HOST: '',
      CANOPY_LOG: 'loud',
      CANOPY_TREE_NODES: '0',
      CANOPY_REGISTRY: 'mysql://user:hunter2@db/canopy',
      CANOPY_STORAGE: 'somewhere',
      CANOPY_DATA: '',
    }
    const read = fromVariables('/srv', wrong)
    const problems = '_tag' in read && read._tag === 'Left' ? read.left : []
    expect(new Set(problems.map((problem) => problem.split(' ')[0]))).toEqual(new Set(Object.keys(wrong)))
    expect(problems.join()).not.toContain('hunter2')
  })

  it('reports variables that the server does not know', () => {
    const variables = {
      CANOPY_WORKRES: '3',
      CANOPY_WORKERS: '3',
      CANOPY_CONFIG: 'file',
      CANOPY_DATA: '/srv',
      CANOPY_METRICS_PORT: '',
      HOME: '/root',
      canopy_log: 'info',
    }
    expect(fromVariables('/srv', variables)).toMatchObject({ right: { unknown: ['CANOPY_WORKRES'] } })
  })
})

describe('the server process', () => {
  const over = serverOver((data) => plantData(data, worldWith([])), { CANOPY_WORKRES: '3' })
  const run = (variables: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
    ended({ CANOPY_DATA: over.data, ...variables }, ...args)

  it('says that it can start with --check, answers no client and takes no port from a server that runs', async () => {
    expect(await run({ CANOPY_PORT: `${over.server.port}` }, '--check')).toEqual({
      code: 0,
      text: 'canopy: the server can start\n',
    })
  })

  it.each([
    ['127.0.0.1', '127.0.0.1', '9000', true],
    ['0.0.0.0', '127.0.0.1', '9000', true],
    ['::1', '::', '9000', true],
    ['127.0.0.1', '127.0.0.2', '9000', false],
    ['0.0.0.0', '::1', '9000', false],
    ['127.0.0.1', '127.0.0.1', '0', false],
    ['/run/canopy.sock', '::', '9000', false],
  ])('hears that %s and %s cannot both have port %s: %s', (host, metricsHost, port, isClash) => {
    const variables = {
      CANOPY_HOST: host,
      CANOPY_METRICS_HOST: metricsHost,
      CANOPY_PORT: port,
      CANOPY_METRICS_PORT: port,
    }
    const clash = 'CANOPY_METRICS_PORT must be another port than CANOPY_PORT: only one can listen on it'
    expect(fromVariables('/srv', variables)).toMatchObject(isClash ? { left: [clash] } : { _tag: 'Right' })
  })

  it('reports a variable that it does not know, with --check and in its log', async () => {
    const { code, text: said } = await run({ CANOPY_WORKRES: '3' }, '--check')
    expect([code, said]).toEqual([0, expect.stringContaining('CANOPY_WORKRES')])
    expect(over.server.lines[0]).toMatchObject({ level: 40, variables: ['CANOPY_WORKRES'] })
  })

  const elsewhere = 'must be an address of this machine'
  const resources = {
    CANOPY_REGISTRY: 'sqlite:/nowhere/registry.sqlite',
    CANOPY_STORAGE: 'file:/nowhere',
    CANOPY_HOST: '192.0.2.1',
    CANOPY_METRICS_PORT: '9464',
    CANOPY_METRICS_HOST: '192.0.2.1',
  }

  it.each<readonly [Readonly<Record<string, string>>, ReadonlyArray<string>]>([
    [{ CANOPY_PORT: '99999', CANOPY_LOG: 'loud' }, ['CANOPY_PORT', 'CANOPY_LOG']],
    [{ CANOPY_HOST: 'unknown.invalid' }, [`CANOPY_HOST ${elsewhere}`]],
    [
      resources,
      [
        '/nowhere/registry.sqlite',
        'the storage cannot be read: ENOENT',
        ': it is missing: mount its disk, or make it (`canopy account create` makes the storage)\n',
        `CANOPY_HOST ${elsewhere}`,
        `CANOPY_METRICS_HOST ${elsewhere}`,
      ],
    ],
  ])('names every problem at once with --check: %o', async (variables, problems) => {
    const { code, text: said } = await run(variables, '--check')
    expect([code, said]).toEqual([1, expect.stringMatching(/^canopy: the server could not start\n/)])
    for (const problem of problems) expect(said).toContain(problem)
  })

  it('does not start on a wrong configuration', async () => {
    const { code, text: said } = await run({ CANOPY_PORT: '99999', CANOPY_LOG: 'loud' })
    expect([code, said]).toEqual([1, expect.stringMatching(/CANOPY_PORT.*CANOPY_LOG|CANOPY_LOG.*CANOPY_PORT/s)])
  })

  it('does not start without a registry, makes none, and says what to do', async () => {
    const empty = { CANOPY_REGISTRY: `sqlite:${over.data}/none.sqlite` }
    for (const _ of [1, 2])
      expect(await run(empty)).toEqual({ code: 1, text: expect.stringContaining('canopy account create') })
  })

  it.each(['CANOPY_PORT', 'CANOPY_METRICS_PORT'])(
    'does not start on a port that is taken, and says so: %s',
    async (name) => {
      const { code, text: said } = await run({ CANOPY_PORT: '0', [name]: `${over.server.port}` })
      expect([code, said]).toEqual([
        1,
        expect.stringMatching(
          new RegExp(`^canopy: the server did not start\n.*EADDRINUSE.*: choose another ${name}\n$`),
        ),
      ])
    },
  )

  it.each([['--help'], ['serve'], ['--check', 'twice']])(
    'does not serve with the arguments %s, and says how to',
    async (...args) => {
      expect(await run({}, ...args)).toEqual({ code: 2, text: expect.stringContaining('--check') })
    },
  )

  it('is asked by --health where its configuration says that it listens', async () => {
    const file = join(over.data, 'health.env')
    writeFileSync(file, `CANOPY_HOST=::1\nCANOPY_PORT=${await freePort()}\n`)
    expect(await run({ CANOPY_CONFIG: file }, '--health')).toEqual({
      code: 1,
      text: expect.stringMatching(
        /^canopy: the server is not healthy\n {2}http:\/\/\[::1\]:.* does not answer: .*ECONNREFUSED.*\n$/,
      ),
    })
    writeFileSync(file, `CANOPY_PORT=${over.server.port}\n`)
    expect(await run({ CANOPY_CONFIG: file }, '--health')).toEqual({ code: 0, text: '' })
  })

  it('is not disturbed by the signals that tell other servers to reopen their logs, and opens no debugger', async () => {
    const said: Array<string> = []
    over.server.process.stderr?.on('data', (chunk) => said.push(String(chunk)))
    for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) over.server.process.kill(signal)
    await sleep(200)
    expect((await request(over.server.port, { method: 'GET', target: '/healthz' })).status).toBe(200)
    expect(said.join('')).toBe('')
  })

  const refusal = expect.stringMatching(/CANOPY_CONFIG must name a regular file.*Write the variables to a regular file/)

  // What else may be named and may not be: the tests of the installation.
  it.each([
    ['a server', [main], 'cat canopy.env | CANOPY_CONFIG=/dev/stdin "$@"', 1, refusal],
    ['a server of two workers', [main], 'CANOPY_WORKERS=2 CANOPY_CONFIG=<(cat canopy.env) "$@"', 1, refusal],
    ['a check', [main, '--check'], 'env CANOPY_CONFIG=<(cat canopy.env) "$@"', 1, refusal],
    ['a command', [bin, 'account', 'list'], 'cat canopy.env | CANOPY_CONFIG=/dev/stdin "$@"', 2, refusal],
    ['a check of standard input', [main, '--check'], 'CANOPY_CONFIG=/dev/stdin "$@" < canopy.env', 0, ''],
    ['a command of standard input', [bin, 'account', 'list'], 'CANOPY_CONFIG=/dev/stdin "$@" < canopy.env', 0, ''],
  ])('reads CANOPY_CONFIG only from a regular file: %s', async (_, words, line, code, said) => {
    mkdirSync(join(over.data, 'areas'), { recursive: true })
    writeFileSync(join(over.data, 'canopy.env'), 'CANOPY_DATA=.\n')
    const child = spawn('bash', ['-c', line, 'bash', process.execPath, ...words], {
      cwd: over.data,
      env: { PATH: process.env['PATH'], CANOPY_PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [[ending], errors] = await Promise.all([once(child, 'close'), text(child.stderr)])
    expect([ending, errors]).toEqual([code, said])
  })
})
