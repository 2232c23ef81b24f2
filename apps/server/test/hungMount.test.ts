import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { bindfs, type HangingMount, hangingMount } from './fuseMounts.js'
import { type Server, startServer, temporaryData } from './startServer.js'

const mayMount = existsSync('/dev/fuse') && process.getuid?.() === 0
if (!existsSync(bindfs) || !mayMount)
  console.warn(
    'A mount that hangs is not tested. Install the package bindfs (apt-get install bindfs), and run this as root.',
  )

// In CI it must be there.
const mounts = mayMount && (existsSync(bindfs) || process.env['CI'] === 'true')

describe.runIf(mounts)('a mount that hangs', { timeout: 90_000 }, () => {
  let data = ''
  let mount: HangingMount | undefined
  let server: Server | undefined

  beforeAll(async () => {
    data = await temporaryData()
    for (const id of ['1', '2', '3']) {
      await canopy(data, 'account', 'create', '--id', id, '--verified')
      await canopy(data, 'visibility', 'set', id, '/', 'public')
    }
    await mkdir(join(data, 'disk/directory'), { recursive: true })
    await writeFile(join(data, 'disk/directory/file'), 'x')
    mount = await hangingMount(join(data, 'disk'), join(data, 'areas/1/mounted'))
    for (const id of ['2', '3']) await mkdir(join(data, `areas/${id}/large`))
    for (const id of ['2', '3'])
      for (let file = 0; file < 2_000; file += 1) await writeFile(join(data, `areas/${id}/large/file ${file}`), '')
    server = await startServer({ CANOPY_DATA: data, CANOPY_CACHE_BYTES: '0' })
  })
  afterAll(async () => {
    await server?.end()
    await mount?.unmount()
    await rm(data, { recursive: true, force: true })
  })

  const status = async (path: string): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${server?.port}/api/usercontent/v1${path}`)
    await response.arrayBuffer()
    return response.status
  }

  it('holds up those who ask for what is below it, and no one else: not small nor large directories, nor trees', async () => {
    const below = ['/diritems/id/1/mounted/directory', '/tree/id/1/mounted', '/diritems/id/1', '/tree/id/1']
    const beside = ['/diritems/id/2', '/diritems/id/3/large', '/tree/id/2', '/tree/id/3/large/file%200']
    expect(await Promise.all([...below, ...beside].map(status))).toEqual([...below, ...beside].map(() => 200))
    mount?.hang()
    const hung = Promise.all(below.map(status))
    let ended = false
    void hung.finally(() => {
      ended = true
    })
    for (let time = 0; time < 20; time += 1)
      expect(await Promise.all(beside.map(status))).toEqual(beside.map(() => 200))
    expect(ended).toBe(false)
    mount?.goOn()
    expect(await hung).toEqual(below.map(() => 200))
  })

  it('is `external` for those who wait too long, and well again when it goes on', async () => {
    mount?.hang()
    const answers = [status('/diritems/id/1/mounted/directory'), status('/diritems/id/1/mounted/directory')]
    expect(await Promise.all(answers)).toEqual([502, 502])
    expect(await status('/diritems/id/2')).toBe(200)
    mount?.goOn()
    expect(await status('/diritems/id/1/mounted/directory')).toBe(200)
  })

  it('holds up no stop', async () => {
    mount?.hang()
    const hung = status('/diritems/id/1/mounted/directory').catch(() => 'cut')
    await status('/diritems/id/2')
    expect(await server?.end()).toBe(0)
    mount?.goOn()
    server = undefined
    await hung
  })
})
