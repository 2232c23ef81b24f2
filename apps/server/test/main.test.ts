import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, worldWith } from '@canopy/test-support'
import { request } from '@canopy/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plantData } from './plantData.js'
import { ended, startServer, temporaryData } from './startServer.js'

const world = worldWith([])

describe('the server process', () => {
  let data = ''

  beforeEach(async () => {
    data = await temporaryData()
  })
  afterEach(() => rm(data, { recursive: true }))

  const run = (variables: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
    ended({ CANOPY_DATA: data, ...variables }, ...args)
  const checked = (variables: Readonly<Record<string, string>>) => run(variables, '--check')

  it('does not start on a wrong configuration, and names every problem', async () => {
    const { code, text } = await run({ CANOPY_PORT: '99999', CANOPY_LOG: 'loud' })
    expect(code).toBe(1)
    expect(text).toContain('CANOPY_PORT')
    expect(text).toContain('CANOPY_LOG')
  })

  it('does not start without a registry, makes none, and says what to do', async () => {
    const { code, text } = await run({})
    expect([code, text]).toEqual([1, expect.stringContaining('canopy account create')])
    expect((await run({})).code).toBe(1)
  })

  it('does not start on a port that is taken, and says so', async () => {
    await plantData(data, world)
    const first = await startServer({ CANOPY_DATA: data })
    const { code, text } = await run({ CANOPY_PORT: String(first.port) })
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(/^canopy: the server did not start\n.*EADDRINUSE.*: choose another CANOPY_PORT\n$/),
    ])
    const metrics = await run({ CANOPY_PORT: '0', CANOPY_METRICS_PORT: String(first.port) })
    expect(metrics.text).toMatch(/EADDRINUSE.*: choose another CANOPY_METRICS_PORT\n$/)
    expect(await first.end()).toBe(0)
  })

  it.each([['--help'], ['serve'], ['--check', 'twice']])(
    'does not serve with the arguments %s, and says how to',
    async (...args) => {
      expect(await run({}, ...args)).toEqual({ code: 2, text: expect.stringContaining('--check') })
    },
  )

  it('is asked by --health where its configuration says that it listens', async () => {
    await plantData(data, world)
    const port = await freePort()
    const file = join(data, 'canopy.env')
    writeFileSync(file, `CANOPY_DATA=${data}\nCANOPY_HOST=::1\nCANOPY_PORT=${port}\n`)
    expect(await run({ CANOPY_CONFIG: file }, '--health')).toEqual({
      code: 1,
      text: expect.stringMatching(
        /^canopy: the server is not healthy\n {2}http:\/\/\[::1\]:.* does not answer: .*ECONNREFUSED.*\n$/,
      ),
    })
    const server = await startServer({ CANOPY_CONFIG: file, CANOPY_PORT: String(port) })
    expect(await run({ CANOPY_CONFIG: file }, '--health')).toEqual({ code: 0, text: '' })
    expect(await server.end()).toBe(0)
  })

  describe('with --check', () => {
    it('says that it can start, and answers no client', async () => {
      await plantData(data, world)
      expect(await checked({})).toEqual({ code: 0, text: 'canopy: the server can start\n' })
    })

    it('reports a variable that the server does not know, as its log does', async () => {
      await plantData(data, world)
      const { code, text } = await checked({ CANOPY_WORKRES: '3' })
      expect([code, text]).toEqual([0, expect.stringContaining('CANOPY_WORKRES')])
      const server = await startServer({ CANOPY_DATA: data, CANOPY_WORKRES: '3' })
      expect(await server.end()).toBe(0)
      expect(server.lines[0]).toMatchObject({ level: 40, variables: ['CANOPY_WORKRES'] })
    })

    it.each([
      ['a wrong variable', { CANOPY_PORT: 'x' }, 'CANOPY_PORT'],
      [
        'a registry that is not there',
        { CANOPY_REGISTRY: 'sqlite:/nowhere/registry.sqlite' },
        '/nowhere/registry.sqlite',
      ],
      ['a storage that is not there', { CANOPY_STORAGE: 'file:/nowhere' }, 'the storage cannot be read: ENOENT'],
      [
        'what makes a storage',
        { CANOPY_STORAGE: 'file:/nowhere' },
        ': it is missing: mount its disk, or make it (`canopy account create` makes the storage)\n',
      ],
      ['a host of another machine', { CANOPY_HOST: '192.0.2.1' }, 'CANOPY_HOST must be an address of this machine'],
      ['a host that is none', { CANOPY_HOST: 'nobody.invalid' }, 'CANOPY_HOST must be an address of this machine'],
      [
        'a host for metrics that is none',
        { CANOPY_METRICS_PORT: '9464', CANOPY_METRICS_HOST: '192.0.2.1' },
        'CANOPY_METRICS_HOST must be an address of this machine',
      ],
    ])('tells of %s', async (_, variables, problem) => {
      await plantData(data, world)
      const { code, text } = await checked(variables)
      expect([code, text]).toEqual([1, expect.stringContaining(problem)])
      expect(text).toMatch(/^canopy: the server could not start\n/)
    })

    it('tells every problem at once', async () => {
      const { text } = await checked({ CANOPY_HOST: '192.0.2.1', CANOPY_STORAGE: 'file:/nowhere' })
      for (const problem of ['CANOPY_HOST', 'canopy account create', 'the storage cannot be read'])
        expect(text).toContain(problem)
    })

    it('takes no port from a server that runs', async () => {
      await plantData(data, world)
      const server = await startServer({ CANOPY_DATA: data })
      expect((await checked({ CANOPY_PORT: String(server.port) })).code).toBe(0)
      expect(await server.end()).toBe(0)
    })
  })

  it('is not disturbed by the signals that tell other servers to reopen their logs, and opens no debugger', async () => {
    await plantData(data, world)
    const server = await startServer({ CANOPY_DATA: data })
    const said: Array<string> = []
    server.process.stderr?.on('data', (chunk) => said.push(String(chunk)))
    server.process.kill('SIGUSR1')
    server.process.kill('SIGUSR2')
    await sleep(200)
    expect((await request(server.port, { method: 'GET', target: '/healthz' })).status).toBe(200)
    expect(await server.end()).toBe(0)
    expect(said.join('')).toBe('')
  })
})
