import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { mayMount } from './mounts.js'
import { serverOver } from './startServer.js'

const mount = (directory: string): void => void execFileSync('mount', ['-t', 'tmpfs', 'canopy-test', directory])
const unmount = (directory: string): void => void execFileSync('umount', [directory], { stdio: 'ignore' })

describe.runIf(mayMount)('an area on a disk of its own, while the server runs', { timeout: 90_000 }, () => {
  const tokens: Record<string, string> = {}

  /** The directory of account 1 has an absolute path, and that of account 2 is the default. */
  const directoryOf = (id: string, data = over.data): string => join(data, id === '1' ? 'disk' : 'areas/2')

  const over = serverOver(async (data) => {
    for (const id of ['1', '2']) {
      const directory = directoryOf(id, data)
      await mkdir(directory, { recursive: true })
      mount(directory)
      const area = id === '2' ? [] : ['--area', directory]
      await canopy(data, 'account', 'create', '--id', id, '--verified', ...area)
      await canopy(data, 'visibility', 'set', id, '/', 'public')
      tokens[id] = (await canopy(data, 'token', 'issue', id)).token
      writeFileSync(join(directory, 'first'), '')
    }
  })
  afterAll(() => {
    for (const id of ['1', '2']) execFileSync('sh', ['-c', 'umount "$0" 2> /dev/null || true', directoryOf(id)])
  })

  const answer = async (target: string): Promise<string> => {
    const { status, body } = await over.server.get(target)
    const { error, content } = JSON.parse(String(body))
    const children: ReadonlyArray<{ readonly name: string }> = content?.content ?? content ?? []
    return `${status}: ${error ?? children.map(({ name }) => name).join(' ')}`
  }

  /** Answers of each operation for the root, to the owner and a visitor; the second ones from the cache. */
  const answers = async (id: string): Promise<ReadonlyArray<string>> => {
    const all: Array<string> = []
    for (const lookup of ['tree', 'diritems', 'tree', 'diritems'])
      for (const client of [`storage/v1/${lookup}/${tokens[id]}`, `usercontent/v1/${lookup}/id/${id}`])
        all.push(await answer(`/api/${client}`))
    return [...new Set(all)]
  }

  it.each([
    ['by its absolute path', '1'],
    ['by default', '2'],
  ])('is external while it is unmounted, and serves any disk that is mounted: %s', async (_, id) => {
    const directory = directoryOf(id)
    expect(await answers(id)).toEqual(['200: first'])
    unmount(directory)
    expect(await answers(id)).toEqual(['502: external'])
    expect(await answer(`/api/storage/v1/diritems/${tokens[id]}/first`)).toBe('502: external')
    const why = `${directory} was a mount point when it was assigned to the account, but nothing is mounted there now`
    const cause = { message: expect.stringContaining(why) }
    await expect.poll(() => over.server.lines).toContainEqual(expect.objectContaining({ status: 502, cause }))
    expect(await over.server.status('/readyz')).toBe(200)
    mount(directory)
    expect(await answers(id)).toEqual(['200: '])
    writeFileSync(join(directory, 'second'), '')
    expect(await answers(id)).toEqual(['200: second'])
  })

  it('is served without its disk after the command has recorded that', async () => {
    const directory = directoryOf('1')
    const update = () => canopy(over.data, 'account', 'update', '1', '--area', directory)
    unmount(directory)
    expect(await answers('1')).toEqual(['502: external'])
    expect(await update()).toMatchObject({ mountPoint: false })
    expect(await answers('1')).toEqual(['200: '])
    mount(directory)
    expect(await update()).toMatchObject({ mountPoint: true })
    unmount(directory)
    expect(await answers('1')).toEqual(['502: external'])
  })
})
