import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDirectory, ran } from './harnessIn.js'

const server = fileURLToPath(new URL('independent/server.mjs', import.meta.url))

/** Starts the independent server over the described fixture, and returns its URL. */
const startServer = async (): Promise<string> => {
  const file = join(await freshDirectory(), 'fixture.json')
  await writeFile(file, (await ran(['fixture', '--describe'])).stdout)
  const child = spawn(process.execPath, [server, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  const [port] = await once(child.stdout, 'data')
  return `http://127.0.0.1:${String(port).trim()}`
}

describe('an independent server over the described fixture', () => {
  it('passes the profiles core and paging, and not the others', async () => {
    const url = await startServer()
    const { stdout, exit } = await ran(['conformance', url, '--profile', 'core', 'paging'])
    expect(stdout).toMatch(/\ncore +2\d\d passed, 2 not run\npaging +\d\d passed\n/)
    expect(exit).toBe(0)
    for (const profile of ['rules', 'walking', 'files'])
      expect((await ran(['conformance', url, '--profile', profile])).exit).toBe(1)
  })
})
