import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin } from './canopy.js'
import { plantData } from './plantData.js'
import { main, temporaryData } from './startServer.js'

describe.each([
  ['the server', 1, [main]],
  ['the check of the server', 1, [main, '--check']],
  ['a command', 2, [bin, 'account', 'list']],
])('the file that CANOPY_CONFIG names to %s', { timeout: 60_000 }, (_, refused, words) => {
  let data = ''
  beforeAll(async () => {
    data = await temporaryData()
    await plantData(data, { accounts: [], triggers: [] })
    await mkdir(join(data, 'areas'))
    await writeFile(join(data, 'canopy.env'), 'CANOPY_DATA=.\n')
  })
  afterAll(() => rm(data, { recursive: true }))

  /** Runs a line of bash, in which `"$@"` is the program. */
  const ended = async (line: string) => {
    const env = { PATH: process.env['PATH'], CANOPY_WORKERS: '2', CANOPY_PORT: '0' }
    const child = spawn('bash', ['-c', line, 'bash', process.execPath, ...words], {
      cwd: data,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const text: Array<string> = []
    child.stderr.on('data', (chunk) => text.push(String(chunk)))
    const [code] = await once(child, 'close')
    return { code, text: text.join('') }
  }

  it.each([
    ['a FIFO', 'mkfifo fifo; CANOPY_CONFIG=fifo "$@"'],
    ['a pipe', 'cat canopy.env | CANOPY_CONFIG=/dev/stdin "$@"'],
    ['a process substitution', 'env CANOPY_CONFIG=<(cat canopy.env) "$@"'],
    ['a device', 'CANOPY_CONFIG=/dev/null "$@"'],
    ['a directory', 'CANOPY_CONFIG=. "$@"'],
  ])('is not read, and stops the start, when it is %s', async (__, line) => {
    expect(await ended(line)).toEqual({
      code: refused,
      text: expect.stringMatching(
        /CANOPY_CONFIG must name a regular file that can be read: \S+ is a directory, a pipe or a device\. Write the variables to a regular file, or set them in the environment/,
      ),
    })
  })

  // A server that starts does not end by itself.
  const fine = [
    ['a symbolic link', 'ln -s canopy.env link.env; CANOPY_CONFIG=link.env "$@"'],
    ['standard input that is a regular file', 'CANOPY_CONFIG=/dev/stdin "$@" < canopy.env'],
  ]
  it.each(words.length > 1 ? fine : [])('may be %s', async (_, line = '') => {
    expect(await ended(line)).toEqual({ code: 0, text: '' })
  })
})
