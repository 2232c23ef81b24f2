import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { request as send } from 'node:http'
import { join } from 'node:path'
import { temporaryDirectory, worldWith } from '@canopy/test-support'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { dataOf, ended, seedData, serverOfTest, startServer } from '../startServer.js'

const over = dataOf((data) => seedData(data, worldWith()))
let run = ''
let socket = ''

beforeEach(() => {
  run = temporaryDirectory(onTestFinished)
  socket = join(run, 'canopy.sock')
})

const variables = (more = {}) => ({ CANOPY_DATA: over.data, CANOPY_HOST: socket, ...more })
const started = (more = {}) => serverOfTest(variables(more))

const health = (socketPath = socket): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    send({ socketPath, path: '/healthz', agent: false }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end()
  })

const textOf = async (more = {}, ...words: ReadonlyArray<string>) => (await ended(variables(more), ...words)).text

it.each([['1'], ['2']])('a unix socket is open to all users, and removed on a stop: %s workers', async (workers) => {
  const server = await started({ CANOPY_WORKERS: workers })
  expect(server.lines).toContainEqual(expect.objectContaining({ msg: 'listening', url: `http://unix:${socket}:` }))
  expect(lstatSync(socket).mode & 0o777).toBe(0o666)
  expect(await health()).toBe(200)
  expect(await textOf({}, '--health')).toBe('')
  expect(await server.end()).toBe(0)
  expect(existsSync(socket)).toBe(false)
})

it.each([['1'], ['2']])('the socket of a killed server is replaced: %s workers', async (workers) => {
  const first = await startServer(variables({ CANOPY_WORKERS: workers }))
  await first.end('SIGKILL')
  await expect.poll(() => health().catch(({ code }) => code)).toBe('ECONNREFUSED')
  expect(existsSync(socket)).toBe(true)
  expect(await textOf({}, '--check')).toBe('canopy: the server can start\n')
  await started({ CANOPY_WORKERS: workers })
  expect(await health()).toBe(200)
})

it.each([['1'], ['2']])('the socket of a live server, or a file, is not replaced: %s workers', async (workers) => {
  const more = { CANOPY_WORKERS: workers }
  await started(more)
  expect(await textOf(more)).toMatch(/cannot listen on .*canopy\.sock: another server is listening there: stop it/)
  expect(await health()).toBe(200)
  const file = join(run, 'file')
  writeFileSync(file, 'mine')
  const no = /cannot listen on .*: the file is not a socket: remove it or choose another CANOPY_HOST/
  expect(await textOf({ ...more, CANOPY_HOST: file }, ...(workers === '1' ? ['--check'] : []))).toMatch(no)
  expect(existsSync(file)).toBe(true)
  const nowhere = { ...more, CANOPY_HOST: join(run, 'none/canopy.sock') }
  expect(await textOf(nowhere)).toMatch(/ENOENT.*: CANOPY_HOST must be a path in an existing directory/)
})

it('a unix socket survives replaced workers, and a reload moves it', async () => {
  const file = join(run, 'canopy.env')
  const at = (path: string) => writeFile(file, `CANOPY_WORKERS=2\nCANOPY_HOST=${path}\n`)
  await at(socket)
  const server = await serverOfTest({ CANOPY_DATA: over.data, CANOPY_CONFIG: file })
  await server.until('all workers are ready')
  await server.until('ready', 2)
  process.kill(Number(server.said('ready')[0]?.['pid']), 'SIGKILL')
  await server.until('ready', 3)
  server.process.kill('SIGHUP')
  await server.until('reloaded')
  expect(await health()).toBe(200)
  // A killed server left a socket at the new path.
  const moved = join(run, 'moved.sock')
  spawnSync(process.execPath, ['-e', `net.createServer().listen('${moved}', () => process.kill(process.pid, 9))`])
  expect(existsSync(moved)).toBe(true)
  await at(moved)
  server.process.kill('SIGHUP')
  await server.until('reloaded', 2)
  expect(await health(moved)).toBe(200)
  await expect.poll(() => existsSync(socket)).toBe(false)
})
