import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import * as admin from '../../admin/src/program.js'
import { outputOf, type Variables, type Words } from './startServer.js'

export const bin = fileURLToPath(new URL('../../admin/bin/canopy.js', import.meta.url))

export const canopyWith = async (variables: Variables, ...words: Words) => {
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

/** Runs the built command for each line in a new process, because SQLite keeps files open until a garbage collection. */
export const canopyProcess = async (data: string, ...lines: ReadonlyArray<Words>) => {
  const printed = []
  for (const words of lines) {
    const { code, text } = await outputOf({ CANOPY_DATA: data }, [bin, ...words, '--json'])
    if (code !== 0) throw new Error(text)
    printed.push(JSON.parse(text))
  }
  return printed
}
