import { existsSync } from 'node:fs'
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawResponse, request } from '@canopy/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { bindfs, type HangingMount, hangingMount } from './fuseMounts.js'
import { type Server, startServer, temporaryData } from './startServer.js'

const mayMount = existsSync('/dev/fuse') && process.getuid?.() === 0
// In CI it must be there.
const mounts = mayMount && (existsSync(bindfs) || process.env['CI'] === 'true')

// FUSE: neither NFS nor CIFS can be mounted everywhere, and Canopy treats all of them alike.
describe.runIf(mounts)('an area on a network or FUSE file system', { timeout: 60_000 }, () => {
  let data = ''
  let mount: HangingMount | undefined
  let server: Server | undefined
  /** What is in the area of account 1, by the other side of the mount. */
  const there = (name: string): string => join(data, 'disk', name)

  beforeAll(async () => {
    data = await temporaryData()
    for (const id of ['1', '2']) {
      await canopy(data, 'account', 'create', '--id', id, '--verified')
      await canopy(data, 'visibility', 'set', id, '/', 'public')
    }
    await rm(join(data, 'areas/1'), { recursive: true })
    await mkdir(join(data, 'disk'))
    mount = await hangingMount(join(data, 'disk'), join(data, 'areas/1'))
    await writeFile(there('first'), '')
  })
  afterEach(async () => {
    await server?.end()
    server = undefined
  })
  afterAll(async () => {
    await mount?.unmount()
    await rm(data, { recursive: true, force: true })
  })

  const get = (target: string): Promise<RawResponse> =>
    request(server?.port ?? 0, { method: 'GET', target: `/api/usercontent/v1/${target}` })
  const ageOf = ({ headers }: RawResponse): string | undefined => headers.find(([name]) => name === 'Age')?.[1]
  const reports = () => server?.lines.filter(({ msg }) => String(msg).startsWith('an area is on a network or FUSE'))

  it('is read for each request, and the log says so once', async () => {
    server = await startServer({ CANOPY_DATA: data })
    expect((await get('diritems/id/2')).status).toBe(200)
    expect(reports()).toEqual([])
    for (let n = 0; n < 20; n += 1) {
      await writeFile(there(`file ${n}`), '')
      expect((await get('diritems/id/1')).body.toString()).toContain(`"name":"file ${n}"`)
      expect((await get(`tree/id/1/file%20${n}`)).status).toBe(200)
    }
    expect(ageOf(await get('diritems/id/1'))).toBe(undefined)
    expect(reports()).toMatchObject([{ level: 40, area: '1', mounts: [join(data, 'areas/1')] }])
  })

  it('is read once for all requests that wait', async () => {
    server = await startServer({ CANOPY_DATA: data })
    const readingsOf = async (targets: ReadonlyArray<string>): Promise<number> => {
      const before = mount?.opened() ?? 0
      mount?.hang()
      const waiting = targets.map(get)
      await sleep(300)
      mount?.goOn()
      for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
      await sleep(100)
      return (mount?.opened() ?? 0) - before
    }
    await get('diritems/id/1')
    // One reading runs, and one waits for those that came after it began. What has just changed is read twice.
    expect(await readingsOf(Array.from({ length: 10 }, () => 'diritems/id/1'))).toBeLessThanOrEqual(4)
  })

  it('is read once for the age that CANOPY_MAX_AGE_MS allows, and no other area with it', async () => {
    server = await startServer({ CANOPY_DATA: data, CANOPY_MAX_AGE_MS: '8000' })
    const targets = ['diritems/id/1', 'tree/id/1', 'tree/id/1/first']
    const before = await Promise.all(targets.map(get))
    await utimes(there('first'), 1, 1)
    await sleep(1_100)
    const older = await Promise.all(targets.map(get))
    for (const answer of older) expect(Number(ageOf(answer))).toBeGreaterThanOrEqual(1)
    expect(older.map(({ body }) => body)).toEqual(before.map(({ body }) => body))
    await sleep(8_000)
    for (const answer of await Promise.all(targets.map(get))) {
      expect(Number(ageOf(answer))).toBeLessThan(8)
      expect(answer.body.toString()).toContain('"last_modified":1,')
    }
    await writeFile(join(data, 'areas/2/new'), '')
    const local = await get('diritems/id/2')
    expect(local.body.toString()).toContain('"name":"new"')
    expect(ageOf(local)).toBe(undefined)
  })

  it('is noted by canopy doctor', async () => {
    expect(await canopy(data, 'doctor')).toMatchObject([
      {
        kind: 'network storage',
        account: '1',
        path: null,
        note: true,
        message: expect.stringContaining(join(data, 'areas/1')),
      },
    ])
  })
})
