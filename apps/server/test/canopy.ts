import { execFile } from 'node:child_process'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as admin from '../../admin/src/program.js'

export const bin = fileURLToPath(new URL('../../admin/bin/canopy.js', import.meta.url))
const program = new URL('../../admin/dist/program.js', import.meta.url).href

type Words = ReadonlyArray<string>

/** Runs the `canopy` command in this process, and returns its JSON. */
export const canopyWith = async (variables: Readonly<Record<string, string>>, ...words: Words) => {
  const { stdout, exit } = await admin.canopy({
    version: '0.0.0',
    nodeVersion: '24.0.0',
    platform: 'linux',
    stdin: Readable.from([]),
    argv: [...words, '--json'],
    cwd: () => process.cwd(),
    variables,
    showProgress: () => undefined,
  })
  if (exit !== 0) throw new Error(stdout)
  return JSON.parse(stdout)
}

export const canopy = (data: string, ...words: Words) => canopyWith({ CANOPY_DATA: data }, ...words)

const script = `
  const { canopy } = await import(process.argv[1])
  const printed = []
  for (const words of JSON.parse(process.argv[2]))
    printed.push(await canopy(
      { version: '0.0.0', nodeVersion: '24.0.0', argv: [...words, '--json'], cwd: process.cwd, variables: process.env, showProgress: () => undefined }))
  console.log(JSON.stringify(printed))`

/** Arguments of Node that run the built command for each line in one process, and print the outputs. */
export const manyCommands = (lines: ReadonlyArray<Words>): Words => [
  '--input-type=module',
  '--eval',
  script,
  program,
  JSON.stringify(lines),
]

/** Runs the built command for each line in a new process, because SQLite keeps files open until a garbage collection. */
export const canopyProcess = async (data: string, ...lines: ReadonlyArray<Words>) => {
  const { stdout } = await promisify(execFile)(process.execPath, manyCommands(lines), {
    env: { PATH: process.env['PATH'], CANOPY_DATA: data },
  })
  const printed: ReadonlyArray<{ readonly stdout: string; readonly exit: number }> = JSON.parse(stdout)
  for (const { exit, stdout: said } of printed) if (exit !== 0) throw new Error(said)
  return printed.map(({ stdout: said }) => JSON.parse(said))
}
