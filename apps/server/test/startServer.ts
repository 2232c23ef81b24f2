import { execFile, spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openRegistryWriter, RegistryUrl } from '@canopy/registry/admin'
import { removeDirectory, request, seedDirectory, seedRegistry, type World } from '@canopy/testkit'
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest'
import { right } from './startApp.js'

export const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

type Line = Readonly<Record<string, unknown>>
export type Words = ReadonlyArray<string>
export type Variables = Readonly<Record<string, string>>

export type Server = Awaited<ReturnType<typeof startServer>>

export const temporaryData = (): Promise<string> => mkdtemp(join(tmpdir(), 'canopy-server-'))

interface Spawning {
  readonly cwd?: string
  /** Starts it, for example in its own mount namespace. */
  readonly first?: ReadonlyArray<string>
  readonly openFiles?: number
}

export const spawnServer = (variables: Variables, { cwd = process.cwd(), first = [], openFiles }: Spawning = {}) => {
  const limit = openFiles === undefined ? [] : ['prlimit', `--nofile=${openFiles}`]
  const [program, ...words] = [...first, ...limit, process.execPath, main]
  const env = { PATH: process.env['PATH'], ...variables }
  return spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

export const outputOf = (variables: Variables, words: Words, first: Words = []) => {
  const [program = '', ...parameters] = [...first, process.execPath, ...words]
  const env = { PATH: process.env['PATH'], ...variables }
  return new Promise<{ readonly code: unknown; readonly text: string }>((resolve) => {
    execFile(program, parameters, { env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, text: stdout + stderr }),
    )
  })
}

export const ended = (variables: Variables, ...words: Words) => outputOf(variables, [main, ...words])

/** The built server as a process of its own, on a free port, once it listens. */
export const startServer = async (variables: Variables, spawning: Spawning = {}) => {
  const child = spawnServer({ CANOPY_PORT: '0', ...variables }, spawning)
  const lines: Array<Line> = []
  const said = (message: string): ReadonlyArray<Line> => lines.filter(({ msg }) => msg === message)
  const until = async (message: string, count = 1): Promise<void> => {
    await vi.waitUntil(() => said(message).length >= count, { timeout: 60_000, interval: 10 })
  }
  // `close` comes after the last lines.
  const exited = new Promise<number | null>((ended) => child.once('close', ended))
  const errors: Array<string> = []
  child.stderr?.on('data', (chunk) => errors.push(String(chunk)))
  const portIn = ({ url }: Line = {}): number => Number(new URL(String(url)).port)
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${errors.join('')}`)))
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (text) => {
      const line: Line = JSON.parse(text)
      lines.push(line)
      if (line['msg'] === 'listening') resolve(portIn(line))
    })
  })
  const get = (target: string) => request(port, { method: 'GET', target })
  const status = async (target: string) => (await get(target)).status
  const metrics = async () =>
    String((await request(portIn(said('serving metrics')[0]), { method: 'GET', target: '/metrics' })).body)
  const end = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return exited
  }
  return { process: child, port, lines, said, until, get, status, metrics, end }
}

export const serverOfTest = async (...parameters: Parameters<typeof startServer>): Promise<Server> => {
  const server = await startServer(...parameters)
  onTestFinished(async () => void (await server.end()))
  return server
}

/** By default the registry is SQLite in the data directory. */
export const seedData = async (data: string, world: World, registry = `sqlite:${data}/registry.sqlite`) => {
  for (const { id, area } of world.accounts) await seedDirectory(join(data, 'areas', id), area)
  const writer = right(await openRegistryWriter(right(RegistryUrl.fromString(data, registry)))())
  right(await seedRegistry(writer)(world)())
  await writer.close()
}

export const dataOf = (make: (data: string) => Promise<unknown> = async () => undefined) => {
  const over = { data: '' }
  beforeAll(async () => {
    over.data = await temporaryData()
    await make(over.data)
  })
  afterAll(() => removeDirectory(over.data))
  return over
}

export const serverOver = (
  make: (data: string) => Promise<unknown>,
  variables: Variables = {},
  starting: Spawning = {},
) => {
  const over = Object.assign(dataOf(make), { server: undefined as unknown as Server })
  beforeAll(async () => {
    over.server = await startServer({ CANOPY_DATA: over.data, ...variables }, starting)
  })
  afterAll(() => over.server.end())
  return over
}
