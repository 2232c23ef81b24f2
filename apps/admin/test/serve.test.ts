import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { freePort, listening, temporaryDirectory } from '@canopy/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bin, changeRegistry } from './canopyIn.js'

/** Runs a command on a terminal of its own. */
const script = '/usr/bin/script'

type Variables = Readonly<Record<string, string>>

type Folder = Awaited<ReturnType<typeof freshFolder>>

const freshFolder = async () => {
  const home = realpathSync(temporaryDirectory(onTestFinished))
  const directory = join(home, 'photos')
  await mkdir(directory)
  await writeFile(join(directory, 'beach.jpg'), 'sand')
  return { home, directory }
}

const launch = (home: string, words: ReadonlyArray<string>, variables: Variables = {}) => {
  const child = spawn(process.execPath, [bin, ...words], { cwd: home, env: { HOME: home, ...variables } })
  onTestFinished(() => void child.kill('SIGTERM'))
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += chunk))
  child.stderr.on('data', (chunk) => (output.stderr += chunk))
  const exit = once(child, 'close').then(([code]) => code as number | null)
  return { child, output, exit }
}

const serve = async ({ home, directory }: Folder, words: ReadonlyArray<string> = [], variables: Variables = {}) => {
  const { child, output, exit } = launch(home, ['serve', directory, ...words], variables)
  await expect.poll(() => output.stdout + output.stderr).toContain('Ctrl-C')
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return exit
  }
  return { stop, page: /^http\S+/m.exec(output.stdout)?.[0] ?? 'none', text: output.stdout }
}

const listing = (page: string, credential = 'usercontent/v1/diritems/id/1') =>
  fetch(new URL(`/api/${credential}`, page)).then((response) => response.json())

const names = async (page: string) =>
  ((await listing(page)) as { content: ReadonlyArray<{ name: string }> }).content.map(({ name }) => name)

describe('canopy serve', () => {
  it('shows a directory at the printed address, whatever its variables, and ends with Ctrl-C', async () => {
    // Those of another installation.
    const variables = { CANOPY_WORKERS: '2', CANOPY_EXPLORER: 'off', CANOPY_REGISTRY: 'sqlite:other.sqlite' }
    const serving = await serve(await freshFolder(), [], variables)
    expect(await fetch(serving.page).then((page) => page.text())).toContain('<!doctype html>')
    expect(await names(serving.page)).toEqual(['beach.jpg'])
    // Other websites cannot read it.
    const { headers } = await fetch(new URL('/api/usercontent/v1/diritems/id/1', serving.page))
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(await serving.stop('SIGINT')).toBe(0)
    await expect(fetch(serving.page)).rejects.toThrow('fetch failed')
  })

  it('keeps names of secrets from visitors, and warns of the others', async () => {
    const folder = await freshFolder()
    for (const name of ['.env', 'shop.p12']) await writeFile(join(folder.directory, name), '')
    const serving = await serve(folder)
    expect(serving.text).toContain('subject to 15 rules (for names such as .git and .env)')
    expect(serving.text).toContain(
      'Warning: /shop.p12: visitors can see it, and its name suggests that it contains a private key',
    )
    // The commands that it prints are for this installation.
    const [, variables = '', data = ''] =
      /run `(CANOPY_DATA=(\S+) CANOPY_STORAGE=\S+) canopy visibility set 1/.exec(serving.text) ?? []
    const explained = execFileSync('sh', ['-c', `${variables} node ${bin} visibility explain 1 /shop.p12`])
    expect(explained.toString()).toContain('Visitors see it listed in /.')
    expect(await names(serving.page)).toEqual(['beach.jpg', 'shop.p12'])
    await serving.stop()
    changeRegistry(data, 'update accounts set mount_point = 1')
    expect((await serve(folder)).text).toContain(`run \`${variables} canopy account update 1`)
  })

  it('finds the settings of an earlier run, by the real path', async () => {
    const folder = await freshFolder()
    const first = await serve(folder)
    const [, data = ''] = /CANOPY_DATA=(\S+)/.exec(first.text) ?? []
    const words = ['visibility', 'set', '1', '/beach.jpg', 'hidden']
    expect(await launch(folder.home, words, { CANOPY_DATA: data }).exit).toBe(0)
    expect(await names(first.page)).toEqual([])
    await first.stop()
    await symlink(folder.directory, join(folder.home, 'link'))
    const second = await serve({ ...folder, directory: join(folder.home, 'link') })
    expect(second.text).toContain(' and 1 setting')
    expect(await names(second.page)).toEqual([])
  })

  it('shows a private directory by its link alone, which ends with the command', async () => {
    const folder = await freshFolder()
    const first = await serve(folder, ['--private'])
    const [, token = ''] = /#token=(cnp_\S+)$/.exec(first.page) ?? []
    expect(await listing(first.page)).toEqual({ type: 'error', error: 'permission denied' })
    const ofOwner = `storage/v1/diritems/${token}`
    expect(await listing(first.page, ofOwner)).toMatchObject({ content: [{ name: 'beach.jpg' }] })
    expect(await first.stop()).toBe(0)
    const second = await serve(folder)
    expect(second.page).toContain('#token=')
    expect(await listing(second.page, ofOwner)).toEqual({ type: 'error', error: 'invalid token' })
    await second.stop()
    expect(await names((await serve(folder, ['--public'])).page)).toEqual(['beach.jpg'])
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

  it.each([
    ['photos --host 0.0.0.0', 2, 'add --public'],
    ['photos --private --public', 2, 'cannot be used together'],
    ['photos --port 99999', 2, 'invalid port "99999"'],
    ['.local/state/canopy', 2, 'where `canopy serve` keeps its registries, or is inside it'],
    ['missing', 1, 'cannot serve missing: it does not exist'],
    ['photos/beach.jpg', 1, 'cannot serve photos/beach.jpg: it is not a directory'],
    ['photos --port USED', 1, 'EADDRINUSE'],
  ])('prints a message and no address for %s', async (words, code, message) => {
    const server = createServer()
    const port = await listening(server)
    onTestFinished(() => void server.close())
    const { home } = await freshFolder()
    await mkdir(join(home, '.local/state/canopy'), { recursive: true })
    const { output, exit } = launch(home, ['serve', ...words.replace('USED', `${port}`).split(' ')])
    expect(await exit).toBe(code)
    expect(output.stdout).not.toContain('http')
    expect(output.stderr).toContain(message)
  })
})

it('canopy start runs the server with the configuration of the environment', async () => {
  const { home } = await freshFolder()
  const port = `${await freePort()}`
  const variables = { CANOPY_PORT: port, CANOPY_DATA: join(home, 'data') }
  expect(await launch(home, ['demo'], variables).exit).toBe(0)
  const { child, exit } = launch(home, ['start'], variables)
  await expect.poll(() => fetch(`http://127.0.0.1:${port}/healthz`).then(({ ok }) => ok)).toBe(true)
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
})
