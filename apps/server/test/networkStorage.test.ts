import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dir, files } from '@canopy/test-support'
import { headerOf } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fuseIsTested, fuseMount } from './mounts.js'
import { dataOf, type Server, seedData, serverOfTest, startServer } from './startServer.js'

const account = { verified: true, tokens: [], settings: [{ path: '/', visibility: 'public' as const }] }

// FUSE, because neither NFS nor CIFS can be mounted everywhere, and Canopy treats all of them alike.
describe.runIf(fuseIsTested)('a network or FUSE file system', () => {
  const mounts: Array<Awaited<ReturnType<typeof fuseMount>>> = []
  const over = dataOf(async (data) => {
    const large = [dir('large', ...files(2_000))]
    const areas = { 1: [], 2: large, 3: large, 4: [] }
    const accounts = Object.entries(areas).map(([id, area]) => ({ ...account, id, area }))
    await seedData(data, { accounts, triggers: [] })
    await mkdir(join(data, 'disk/directory'), { recursive: true })
    await rm(join(data, 'areas/1'), { recursive: true })
    for (const path of ['areas/1', 'areas/4/mounted'])
      mounts.push(await fuseMount(join(data, 'disk'), join(data, path)))
  })
  afterAll(async () => {
    for (const { daemon, unmount } of mounts) {
      daemon.kill('SIGKILL')
      await unmount()
    }
  })
  const hang = () => mounts[1]?.daemon.kill('SIGSTOP')
  const goOn = () => mounts[1]?.daemon.kill('SIGCONT')

  it('of a whole area is read for each request, with one line in the log', async () => {
    const { get, lines } = await serverOfTest({ CANOPY_DATA: over.data })
    const ask = (target: string) => get(`/api/usercontent/v1/${target}`)
    const reports = () => lines.filter(({ msg }) => String(msg).startsWith('area is on a network or FUSE'))
    expect((await ask('diritems/id/2')).status).toBe(200)
    expect(reports()).toEqual([])
    for (let n = 0; n < 20; n += 1) {
      await writeFile(join(over.data, `disk/file ${n}`), '')
      expect((await ask('diritems/id/1')).body.toString()).toContain(`"name":"file ${n}"`)
      expect((await ask(`tree/id/1/file%20${n}`)).status).toBe(200)
    }
    expect(headerOf(await ask('diritems/id/1'), 'Age')).toBe(undefined)
    expect(reports()).toMatchObject([{ level: 40, area: '1', mounts: [join(over.data, 'areas/1')] }])
  })

  describe('that hangs, in the middle of an area', () => {
    let server: Server
    beforeAll(async () => {
      const variables = { CANOPY_CACHE_BYTES: '0', CANOPY_MAX_IN_FLIGHT: '16', CANOPY_STOP_MS: '2000' }
      server = await startServer({ CANOPY_DATA: over.data, ...variables })
    })
    afterAll(() => server.end())
    // A raw request ends after ten seconds.
    const status = async (target: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/api/usercontent/v1/${target}`)
      await answer.arrayBuffer()
      return answer.status
    }
    const hanging = 'diritems/id/4/mounted/directory'
    const beside = ['diritems/id/2', 'diritems/id/3/large', 'tree/id/2', 'tree/id/3/large/file%200']

    it('takes at most half of the slots, and refuses further requests at once', async () => {
      const below = [hanging, 'tree/id/4/mounted', 'diritems/id/4', 'tree/id/4']
      expect(new Set(await Promise.all([...below, ...beside].map(status)))).toEqual(new Set([200]))
      hang()
      const statuses: Array<number> = []
      const targets = Array.from({ length: 10 }, () => below).flat()
      const asked = targets.map((each) => status(each).then((found) => statuses.push(found)))
      await expect.poll(() => statuses).toEqual(Array.from({ length: 32 }, () => 503))
      for (let time = 0; time < 20; time += 1)
        expect(await Promise.all(beside.map(status))).toEqual(beside.map(() => 200))
      goOn()
      await Promise.all(asked)
      expect(statuses.slice(32)).toEqual(Array.from({ length: 8 }, () => 200))
    })

    it('delays no stop', async () => {
      hang()
      const hung = status(hanging).catch(() => 'cut')
      await status('diritems/id/2')
      expect(await server.end()).toBe(0)
      goOn()
      await hung
    })
  })
})
