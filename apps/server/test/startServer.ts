import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type RawResponse, removeDirectory, request } from '@canopy/testkit'
import { afterAll, beforeAll, vi } from 'vitest'

export const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

type Line = Readonly<Record<string, unknown>>

export interface Server {
  readonly process: ChildProcess
  readonly port: number
  readonly lines: ReadonlyArray<Line>
  readonly said: (message: string) => ReadonlyArray<Line>
  /** Resolves when the message was logged this often. */
  readonly until: (message: string, count?: number) => Promise<void>
  readonly get: (target: string) => Promise<RawResponse>
  readonly status: (target: string) => Promise<number>
  /** The text of its port for metrics. */
  readonly metrics: () => Promise<string>
  /** Sends the signal and resolves with the exit code. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>
}

export const temporaryData = (): Promise<string> => mkdtemp(join(tmpdir(), 'canopy-server-'))

interface Spawning {
  readonly cwd?: string | undefined
  readonly args?: ReadonlyArray<string>
  /** Starts it, for example in its own mount namespace. */
  readonly first?: ReadonlyArray<string>
  readonly openFiles?: number
}

type Starting = Omit<Spawning, 'args'>

export const spawnServer = (
  variables: Readonly<Record<string, string>>,
  { cwd = process.cwd(), args = [], first = [], openFiles }: Spawning = {},
): ChildProcess => {
  const limit = openFiles === undefined ? [] : ['prlimit', `--nofile=${openFiles}`]
  const [program = '', ...words] = [...first, ...limit, process.execPath, main, ...args]
  return spawn(program, words, {
    cwd,
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Exit code and output of a server that does not start. */
export const ended = async (variables: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const child = spawnServer(variables, { args })
  const text: Array<string> = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => text.push(String(chunk)))
  const [code] = await once(child, 'close')
  return { code, text: text.join('') }
}

/** The built server as a process of its own, on a free port, once it listens. */
export const startServer = (variables: Readonly<Record<string, string>>, spawning: Starting = {}): Promise<Server> =>
  new Promise((resolve, reject) => {
    const child = spawnServer({ CANOPY_PORT: '0', ...variables }, spawning)
    const lines: Array<Line> = []
    const said = (message: string) => lines.filter(({ msg }) => msg === message)
    const until: Server['until'] = async (message, count = 1) => {
      await vi.waitUntil(() => said(message).length >= count, { timeout: 60_000, interval: 10 })
    }
    // `close` comes after the last lines.
    const exited = new Promise<number | null>((ended) => child.once('close', ended))
    const errors: Array<string> = []
    child.stderr?.on('data', (chunk) => errors.push(String(chunk)))
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${errors.join('')}`)))
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (text) => {
      const line = JSON.parse(text)
      lines.push(line)
      if (line.msg !== 'listening') return
      const port = Number(new URL(line.url).port)
      const get: Server['get'] = (target) => request(port, { method: 'GET', target })
      resolve({
        process: child,
        port,
        lines,
        said,
        until,
        get,
        status: async (target) => (await get(target)).status,
        metrics: async () => {
          const at = new URL(String(said('serving metrics')[0]?.['url']))
          return String((await request(Number(at.port), { method: 'GET', target: '/metrics' })).body)
        },
        end: (signal = 'SIGTERM') => {
          child.kill(signal)
          return exited
        },
      })
    })
  })

/** A data directory for all tests of a file. */
export const dataOf = (make: (data: string) => Promise<unknown> = async () => undefined) => {
  const over = { data: '' }
  beforeAll(async () => {
    over.data = await temporaryData()
    await make(over.data)
  })
  afterAll(() => removeDirectory(over.data))
  return over
}

/** A server over a data directory. */
export const serverOver = (
  make: (data: string) => Promise<unknown>,
  variables: Readonly<Record<string, string>> = {},
  starting: Starting = {},
) => {
  const over = Object.assign(dataOf(make), { server: undefined as unknown as Server })
  beforeAll(async () => {
    over.server = await startServer({ CANOPY_DATA: over.data, ...variables }, starting)
  })
  afterAll(() => over.server.end())
  return over
}
