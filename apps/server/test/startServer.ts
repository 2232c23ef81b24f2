import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

export interface Server {
  readonly process: ChildProcess
  readonly port: number
  /** Every line it logged, parsed. */
  readonly lines: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Sends the signal and resolves with the exit code. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>
}

export const temporaryData = (): Promise<string> => mkdtemp(join(tmpdir(), 'canopy-server-'))

interface Spawning {
  readonly cwd?: string | undefined
  readonly args?: ReadonlyArray<string>
  /** Where the log goes. */
  readonly stdout?: 'pipe' | number
  /** Permissions stop it, as they stop everyone but root. */
  readonly obeysPermissions?: boolean
  /** So many files may be open, connections included. */
  readonly openFiles?: number
  /** Standard error goes there too, as with `2>&1`. */
  readonly sameStderr?: boolean
}

/** Root without the capabilities that pass over permissions. */
const obeying = ['setpriv', ...['bounding-set', 'inh-caps'].map((set) => `--${set}=-dac_override,-dac_read_search`)]

export const spawnServer = (
  variables: Readonly<Record<string, string>>,
  {
    cwd = process.cwd(),
    args = [],
    stdout = 'pipe',
    sameStderr = false,
    obeysPermissions = false,
    openFiles,
  }: Spawning = {},
): ChildProcess => {
  const words = [
    ...(obeysPermissions && process.geteuid?.() === 0 ? obeying : []),
    ...(openFiles === undefined ? [] : ['prlimit', `--nofile=${openFiles}`]),
    process.execPath,
    main,
    ...args,
  ]
  return spawn(words[0] ?? process.execPath, words.slice(1), {
    cwd,
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', stdout, sameStderr ? stdout : 'pipe'],
  })
}

/** The built server as a process of its own, on a free port, once it listens. */
export const startServer = (
  variables: Readonly<Record<string, string>>,
  spawning: Pick<Spawning, 'cwd' | 'obeysPermissions' | 'openFiles'> = {},
): Promise<Server> =>
  new Promise((resolve, reject) => {
    const child = spawnServer({ CANOPY_PORT: '0', ...variables }, spawning)
    const lines: Array<Readonly<Record<string, unknown>>> = []
    // And its last lines have come.
    const exited = new Promise<number | null>((ended) => child.once('close', ended))
    const errors: Array<string> = []
    child.stderr?.on('data', (chunk) => errors.push(String(chunk)))
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${errors.join('')}`)))
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (text) => {
      const line = JSON.parse(text)
      lines.push(line)
      if (line.msg !== 'listening') return
      resolve({
        process: child,
        port: Number(new URL(line.url).port),
        lines,
        end: (signal = 'SIGTERM') => {
          child.kill(signal)
          return exited
        },
      })
    })
  })
