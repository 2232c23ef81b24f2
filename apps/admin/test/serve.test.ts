import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@canopy/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bin } from './canopyIn.js'

/** Runs a command on a terminal of its own. */
const script = '/usr/bin/script'

interface Folder {
  readonly home: string
  readonly directory: string
  readonly variables?: Readonly<Record<string, string>>
}

const freshFolder = async (): Promise<Folder> => {
  const home = await realpath(mkdtempSync(join(tmpdir(), 'canopy-serve-')))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const directory = join(home, 'photos')
  await mkdir(directory)
  await writeFile(join(directory, 'beach.jpg'), 'sand')
  return { home, directory }
}

interface Serving {
  readonly child: ChildProcess
  readonly page: string
  readonly text: string
  readonly exit: Promise<number | null>
}

const launch = ({ home, variables }: Folder, ...words: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [bin, ...words], { cwd: home, env: { HOME: home, ...variables } })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += chunk))
  child.stderr.on('data', (chunk) => (output.stderr += chunk))
  const exit = once(child, 'close').then(([code]) => code as number | null)
  return { child, output, exit }
}

/** Runs `canopy serve` in a process, and waits for its output. */
const serve = async (folder: Folder, ...words: ReadonlyArray<string>): Promise<Serving> => {
  const { child, output, exit } = launch(folder, 'serve', folder.directory, ...words)
  await expect.poll(() => output.stdout + output.stderr).toContain('Ctrl-C')
  return { child, exit, page: /^http\S+/m.exec(output.stdout)?.[0] ?? 'none', text: output.stdout }
}

const stop = async ({ child, exit }: Serving, signal: NodeJS.Signals = 'SIGTERM') => {
  child.kill(signal)
  return exit
}

const listing = (page: string, credential = 'usercontent/v1/diritems/id/1') =>
  fetch(new URL(`/api/${credential}`, page)).then((response) => response.json())

const names = async (page: string) =>
  ((await listing(page)) as { content: ReadonlyArray<{ name: string }> }).content.map(({ name }) => name)

describe('canopy serve', () => {
  it('shows a directory at the printed address, and ends with Ctrl-C', async () => {
    const serving = await serve(await freshFolder())
    expect(await fetch(serving.page).then((page) => page.text())).toContain('<!doctype html>')
    expect(await names(serving.page)).toEqual(['beach.jpg'])
    expect(await stop(serving, 'SIGINT')).toBe(0)
    await expect(fetch(serving.page)).rejects.toThrow('fetch failed')
  })

  it('keeps names of secrets from visitors, and warns of the others', async () => {
    const folder = await freshFolder()
    for (const name of ['.env', 'shop.p12']) await writeFile(join(folder.directory, name), '')
    const serving = await serve(folder)
    expect(serving.text).toContain('15 rules for names that usually hold secrets (such as .git and .env)')
    expect(serving.text).toContain(
      'Warning: /shop.p12: visitors can see it, and its name suggests that it contains a private key',
    )
    expect(await names(serving.page)).toEqual(['beach.jpg', 'shop.p12'])
  })

  it('finds the settings of an earlier run, by the real path', async () => {
    const folder = await freshFolder()
    const first = await serve(folder)
    const [, data = ''] = /CANOPY_DATA=(\S+)/.exec(first.text) ?? []
    const set = spawn(process.execPath, [bin, 'visibility', 'set', '1', '/beach.jpg', 'hidden'], {
      env: { CANOPY_DATA: data },
    })
    expect(await once(set, 'exit')).toEqual([0, null])
    expect(await names(first.page)).toEqual([])
    await stop(first)
    await symlink(folder.directory, join(folder.home, 'link'))
    const second = await serve({ ...folder, directory: join(folder.home, 'link') })
    expect(second.text).toContain('and to 1 setting')
    expect(await names(second.page)).toEqual([])
  })

  it('shows a private directory by its link alone, which ends with the command', async () => {
    const folder = await freshFolder()
    const first = await serve(folder, '--private')
    const [, token = ''] = /#token=(cnp_\S+)$/.exec(first.page) ?? []
    expect(await listing(first.page)).toEqual({ type: 'error', error: 'permission denied' })
    expect(await listing(first.page, `storage/v1/diritems/${token}`)).toMatchObject({
      content: [{ name: 'beach.jpg' }],
    })
    expect(await stop(first)).toBe(0)
    const second = await serve(folder)
    expect(second.page).toContain('#token=')
    expect(await listing(second.page, `storage/v1/diritems/${token}`)).toEqual({
      type: 'error',
      error: 'invalid token',
    })
    await stop(second)
    expect(await names((await serve(folder, '--public')).page)).toEqual(['beach.jpg'])
  })

  it('keeps its own registries from the visitors of a home directory', async () => {
    const { home } = await freshFolder()
    const { page } = await serve({ home, directory: home })
    const path = 'usercontent/v1/diritems/id/1/.local/state'
    expect(await listing(page, path)).toMatchObject({ content: [] })
    expect(await listing(page, `${path}/canopy`)).toEqual({ type: 'error', error: 'permission denied' })
  })

  it('serves only its own directory, beside that of another command', async () => {
    const folder = await freshFolder()
    const other = { home: folder.home, directory: join(folder.home, 'other') }
    await mkdir(other.directory)
    const [one, two] = [await serve(folder), await serve(other)]
    expect(new URL(one.page).port).not.toBe(new URL(two.page).port)
    expect(await names(one.page)).toEqual(['beach.jpg'])
    expect(await names(two.page)).toEqual([])
    expect(await listing(two.page, 'usercontent/v1/diritems/id/2')).toMatchObject({ error: 'permission denied' })
  })

  it.runIf(existsSync(script))('opens the page in the browser of a terminal, but no link with a token', async () => {
    const folder = await freshFolder()
    const opened = join(folder.home, 'opened')
    await writeFile(join(folder.home, 'xdg-open'), `#!/bin/sh\necho "$1" >> ${opened}\n`, { mode: 0o755 })
    const onTerminal = async (options: string) => {
      const command = `${process.execPath} ${bin} serve ${folder.directory} ${options}`
      const env = { HOME: folder.home, PATH: `${folder.home}:${process.env['PATH']}` }
      const terminal = spawn(script, ['-qfec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
      let text = ''
      terminal.stdout.on('data', (chunk) => (text += chunk))
      await expect.poll(() => text).toContain('Ctrl-C')
      const [page = ''] = /http:\S+/.exec(text) ?? []
      await vi.waitUntil(() => options === '--private' || existsSync(opened), { timeout: 60_000 })
      // Ctrl-C.
      terminal.stdin.write('\u0003')
      await once(terminal, 'exit')
      return page
    }
    const secret = await onTerminal('--private')
    const page = await onTerminal('--public')
    expect(secret).toContain('#token=')
    expect(readFileSync(opened, 'utf8')).toBe(`${page}\n`)
  })

  it('serves its page whatever the variables of another installation say', async () => {
    const variables = { CANOPY_WORKERS: '2', CANOPY_EXPLORER: 'off', CANOPY_REGISTRY: 'sqlite:other.sqlite' }
    const { page } = await serve({ ...(await freshFolder()), variables })
    expect(await fetch(page).then((response) => response.text())).toContain('<!doctype html>')
    expect(await names(page)).toEqual(['beach.jpg'])
  })

  it('refuses the directory of its own registries', async () => {
    const folder = await freshFolder()
    await stop(await serve(folder))
    const { output, exit } = launch(folder, 'serve', '.local/state/canopy')
    expect(await exit).toBe(2)
    expect(output.stderr).toContain('where `canopy serve` keeps its registries, or is inside it')
  })

  it('cannot be read by other websites', async () => {
    const { page } = await serve(await freshFolder())
    const { headers } = await fetch(new URL('/api/usercontent/v1/diritems/id/1', page))
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  it.each([
    ['photos --host 0.0.0.0', 2, 'add --public'],
    ['photos --private --public', 2, 'cannot be used together'],
    ['photos --port 99999', 2, '"99999" is not a port'],
    ['missing', 1, 'cannot serve missing: it does not exist'],
    ['photos/beach.jpg', 1, 'cannot serve photos/beach.jpg: it is not a directory'],
  ])('refuses %s', async (words, code, message) => {
    const { output, exit } = launch(await freshFolder(), 'serve', ...words.split(' '))
    expect(await exit).toBe(code)
    expect(output.stderr).toContain(message)
  })

  it('prints no address if its port is in use', async () => {
    const folder = await freshFolder()
    const port = await freePort()
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { output, exit } = launch(folder, 'serve', folder.directory, '--port', `${port}`)
    expect(await exit).toBe(1)
    expect(output.stdout).not.toContain('http')
    expect(output.stderr).toContain('EADDRINUSE')
  })
})

describe('canopy start', () => {
  it('runs the server with the configuration of the environment', async () => {
    const { home } = await freshFolder()
    const port = `${await freePort()}`
    const env = { HOME: home, CANOPY_PORT: port, CANOPY_DATA: join(home, 'data') }
    const demo = spawn(process.execPath, [bin, 'demo'], { env })
    await once(demo, 'exit')
    const server = spawn(process.execPath, [bin, 'start'], { env })
    onTestFinished(() => void server.kill('SIGTERM'))
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true)
    server.kill('SIGTERM')
    expect(await once(server, 'exit')).toEqual([0, null])
  })
})
