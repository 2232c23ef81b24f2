import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Start } from '../src/Command.js'
import { canopy } from '../src/program.js'
import type { Printed } from '../src/run.js'

type Variables = Readonly<Record<string, string>>

/** `canopy` with its data in one directory. */
export interface Canopy {
  readonly directory: string
  /** As an operator runs it: the built command, in a process of its own. */
  readonly spawn: (...words: ReadonlyArray<string>) => Promise<Printed>
  /** The same, with this on its standard input. */
  readonly feed: (input: string, ...words: ReadonlyArray<string>) => Promise<Printed>
  /** The same under a umask. */
  readonly spawnUnder: (umask: number, ...words: ReadonlyArray<string>) => Promise<Printed>
  /** The same without the process and without the build: all but `main.ts`. */
  readonly run: (...words: ReadonlyArray<string>) => Promise<Printed>
  /** What `run` prints with `--json`. */
  readonly json: (...words: ReadonlyArray<string>) => Promise<unknown>
  /** SQL on its registry, past every check. */
  readonly byHand: (sql: string) => void
}

/** The built command. */
export const bin = fileURLToPath(new URL('../bin/canopy.js', import.meta.url))

const execute = (cwd: string, command: ReadonlyArray<string>, variables: Variables, input = ''): Promise<Printed> =>
  new Promise((resolve) => {
    const [file = '', ...words] = command
    const child = execFile(file, words, { cwd, env: { ...variables }, maxBuffer: 2 ** 28 }, (_, stdout, stderr) =>
      resolve({ stdout, stderr, exit: child.exitCode as Printed['exit'] }),
    )
    child.stdin?.end(input)
  })

const ofNode = [process.execPath, bin]
const under = (umask: number) => ['sh', '-c', `umask ${umask.toString(8)}; exec "$@"`, 'sh', ...ofNode]

const { DatabaseSync } = createRequire(import.meta.resolve('@canopy/registry'))('@photostructure/sqlite')

const canopyAt = (directory: string, variables: Variables, more: Partial<Start> = {}): Canopy => {
  const run: Canopy['run'] = (...words) =>
    canopy({
      version: '9.9.9',
      node: '24.0.0',
      words,
      cwd: () => directory,
      variables,
      progress: () => undefined,
      stdin: Readable.from([]),
      ...more,
    })
  return {
    directory,
    run,
    spawn: (...words) => execute(directory, [...ofNode, ...words], variables),
    feed: (input, ...words) => execute(directory, [...ofNode, ...words], variables, input),
    spawnUnder: (umask, ...words) => execute(directory, [...under(umask), ...words], variables),
    json: async (...words) => JSON.parse((await run(...words, '--json')).stdout) as unknown,
    byHand: (sql) => {
      const registry = new DatabaseSync(join(directory, 'data/registry.sqlite'), { defensive: false })
      registry.exec(sql)
      registry.close()
    },
  }
}

/** Fresh, and gone after the test. */
export const freshCanopy = async (variables: Variables = {}): Promise<Canopy> => {
  const directory = await mkdtemp(join(tmpdir(), 'canopy-admin-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return canopyAt(directory, variables)
}

/** The same place, with other variables; `run` with another Node, standard input or terminal. */
export const again = ({ directory }: Canopy, variables: Variables, more: Partial<Start> = {}): Canopy =>
  canopyAt(directory, variables, more)

/** The same place, with a person at a terminal who answers so; what was asked is added to `asked`. */
export const attended = (canopy: Canopy, answer: boolean, asked: Array<string> = []): Canopy =>
  again(canopy, {}, { ask: async (question) => asked.push(question) > 0 && answer })

/** SQL after which all in the table were over on 1 January 2020: no command makes what is over already. */
export const expireAll = (table: 'tokens' | 'triggers'): string =>
  `update ${table} set expires = '${'1577836800'.padStart(20, '0')}'`

/** With one account, 1, and where its area is. */
export const withAccount = async (): Promise<Canopy & { readonly area: string }> => {
  const canopy = await freshCanopy()
  await canopy.run('account', 'create', '--verified')
  return { ...canopy, area: join(canopy.directory, 'data/areas/1') }
}

/** What doctor finds. */
export const findings = async ({ json }: Canopy) =>
  (await json('doctor')) as ReadonlyArray<{ readonly kind: string; readonly path: string | null }>
