import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '@canopy/test-support'
import { onTestFinished } from 'vitest'
import type { Invocation } from '../src/Command.js'
import { canopy } from '../src/program.js'
import type { Printed } from '../src/run.js'

type Variables = Readonly<Record<string, string>>

type Words = ReadonlyArray<string>

export type Canopy = ReturnType<typeof canopyAt>

export const bin = fileURLToPath(new URL('../bin/canopy.js', import.meta.url))

const execute = (cwd: string, env: Variables, words: Words, input = ''): Promise<Printed> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [bin, ...words], { cwd, env, maxBuffer: 2 ** 28 }, (_, stdout, stderr) =>
      resolve({ stdout, stderr, exit: child.exitCode as Printed['exit'] }),
    )
    child.stdin?.end(input)
  })

const { DatabaseSync } = createRequire(import.meta.resolve('@canopy/registry'))('@photostructure/sqlite')

/** The command in a working directory. `more` changes the invocation of `run`. */
export const canopyAt = (directory: string, variables: Variables, more: Partial<Invocation> = {}) => {
  /** Runs the source in this process, without `main.ts`. */
  const run = (...words: Words): Promise<Printed> =>
    canopy({
      version: '9.9.9',
      nodeVersion: '24.0.0',
      platform: 'linux',
      argv: words,
      cwd: () => directory,
      variables,
      showProgress: () => undefined,
      stdin: Readable.from([]),
      ...more,
    })
  return {
    directory,
    run,
    /** Runs the built command in its own process, like an operator. */
    spawn: (...words: Words) => execute(directory, variables, words),
    feed: (input: string, ...words: Words) => execute(directory, variables, words, input),
    json: async (...words: Words) => JSON.parse((await run(...words, '--json')).stdout) as unknown,
    /** Executes SQL on the registry without any check. */
    byHand: (sql: string) => changeRegistry(join(directory, 'data'), sql),
  }
}

export const changeRegistry = (data: string, sql: string): void => {
  const registry = new DatabaseSync(join(data, 'registry.sqlite'), { defensive: false })
  registry.exec(sql)
  registry.close()
}

export const freshCanopy = async (variables: Variables = {}): Promise<Canopy> =>
  canopyAt(temporaryDirectory(onTestFinished), variables)

/** The same place with other variables. */
export const again = ({ directory }: Canopy, variables: Variables, more: Partial<Invocation> = {}): Canopy =>
  canopyAt(directory, variables, more)

/** The same place with a terminal that gives this answer. Adds each question to `asked`. */
export const attended = (canopy: Canopy, answer: boolean, asked: Array<string> = []): Canopy =>
  again(canopy, {}, { confirm: async (question) => asked.push(question) > 0 && answer })

/** SQL that lets every row expire on 1 January 2020. No command accepts a past expiry. */
export const expireAll = (table: 'tokens' | 'triggers'): string =>
  `update ${table} set expires = '${'1577836800'.padStart(20, '0')}'`

export const withAccount = async (): Promise<Canopy & { readonly area: string }> => {
  const canopy = await freshCanopy()
  await canopy.run('account', 'create', '--verified')
  return { ...canopy, area: join(canopy.directory, 'data/areas/1') }
}

/** A public area with these files. A name may contain directories. */
export const withFiles = async (...names: Words) => {
  const canopy = await withAccount()
  for (const name of names) {
    await mkdir(join(canopy.area, name, '..'), { recursive: true })
    await writeFile(join(canopy.area, name), '')
  }
  await canopy.run('visibility', 'set', '1', '/', 'public')
  return canopy
}

export const findings = async ({ json }: Canopy) =>
  (await json('doctor')) as ReadonlyArray<{ readonly kind: string; readonly path: string | null }>
