import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { headerOf, type RawResponse } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canopy } from './canopy.js'
import { bindfs, type HangingMount, hangingMount } from './fuseMounts.js'
import { dataOf, type Server, startServer } from './startServer.js'

const mayMount = existsSync('/dev/fuse') && process.getuid?.() === 0
if (!existsSync(bindfs) || !mayMount)
  console.warn(
    'A mount that hangs is not tested. Install the package bindfs (apt-get install bindfs), and run this as root.',
  )

// In CI it must be there. FUSE: neither NFS nor CIFS can be mounted everywhere, and Canopy treats all of them alike.
describe.runIf(mayMount && (existsSync(bindfs) || process.env['CI'] === 'true'))(
  'a network or FUSE file system',
  () => {
    let server: Server
    const mounts: Array<HangingMount> = []
    const over = dataOf(async (data) => {
      for (const id of ['1', '2', '3', '4']) {
        await canopy(data, 'account', 'create', '--id', id, '--verified')
        await canopy(data, 'visibility', 'set', id, '/', 'public')
      }
      await mkdir(join(data, 'disk/directory'), { recursive: true })
      await rm(join(data, 'areas/1'), { recursive: true })
      for (const path of ['areas/1', 'areas/4/mounted'])
        mounts.push(await hangingMount(join(data, 'disk'), join(data, path)))
      for (const id of ['2', '3']) {
        await mkdir(join(data, `areas/${id}/large`))
        for (let file = 0; file < 2_000; file += 1) await writeFile(join(data, `areas/${id}/large/file ${file}`), '')
      }
    })
    afterAll(async () => {
      for (const { unmount } of mounts) await unmount()
    })

    const servedWith = (variables: Readonly<Record<string, string>>) => {
      beforeAll(async () => {
        server = await startServer({ CANOPY_DATA: over.data, ...variables })
      })
      afterAll(() => server.end())
    }
    const get = (target: string) => server.get(`/api/usercontent/v1/${target}`)
    // A raw request ends after ten seconds.
    const statusOf = async ({ port }: Server, target: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/usercontent/v1/${target}`)
      await answer.arrayBuffer()
      return answer.status
    }
    const ageOf = (answer: RawResponse): string | undefined => headerOf(answer, 'Age')

    describe('of a whole area', () => {
      servedWith({})
      const reports = () => server.lines.filter(({ msg }) => String(msg).startsWith('area is on a network or FUSE'))

      it('is read for each request, with one line in the log', async () => {
        expect((await get('diritems/id/2')).status).toBe(200)
        expect(reports()).toEqual([])
        for (let n = 0; n < 20; n += 1) {
          await writeFile(join(over.data, `disk/file ${n}`), '')
          expect((await get('diritems/id/1')).body.toString()).toContain(`"name":"file ${n}"`)
          expect((await get(`tree/id/1/file%20${n}`)).status).toBe(200)
        }
        expect(ageOf(await get('diritems/id/1'))).toBe(undefined)
        expect(reports()).toMatchObject([{ level: 40, area: '1', mounts: [join(over.data, 'areas/1')] }])
      })
    })

    describe('that hangs, in the middle of an area', () => {
      servedWith({ CANOPY_CACHE_BYTES: '0', CANOPY_MAX_IN_FLIGHT: '16', CANOPY_STOP_MS: '2000' })
      const hang = () => mounts[1]?.hang()
      const goOn = () => mounts[1]?.goOn()
      const status = (target: string) => statusOf(server, target)
      const hanging = 'diritems/id/4/mounted/directory'
      const beside = ['diritems/id/2', 'diritems/id/3/large', 'tree/id/2', 'tree/id/3/large/file%200']

      it('blocks requests below it, and no others', async () => {
        const below = [hanging, 'tree/id/4/mounted', 'diritems/id/4', 'tree/id/4']
        expect(new Set(await Promise.all([...below, ...beside].map(status)))).toEqual(new Set([200]))
        hang()
        let ended = false
        const hung = Promise.all(below.map(status)).finally(() => {
          ended = true
        })
        for (let time = 0; time < 20; time += 1)
          expect(await Promise.all(beside.map(status))).toEqual(beside.map(() => 200))
        expect(ended).toBe(false)
        goOn()
        expect(await hung).toEqual(below.map(() => 200))
      })

      it('takes at most half of the slots, and refuses further requests at once', async () => {
        hang()
        const statuses: Array<number> = []
        const asked = Array.from({ length: 40 }, () => status(hanging).then((found) => statuses.push(found)))
        for (let time = 0; time < 20; time += 1)
          expect(await Promise.all(beside.map(status))).toEqual(beside.map(() => 200))
        expect(statuses).toEqual(Array.from({ length: 32 }, () => 503))
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

    it('that hangs is `external` after the time limit, and recovers', async () => {
      const waiting = await startServer({ CANOPY_DATA: over.data, CANOPY_CACHE_BYTES: '0' })
      mounts[1]?.hang()
      const hanging = 'diritems/id/4/mounted/directory'
      expect(await statusOf(waiting, hanging)).toBe(502)
      expect(await statusOf(waiting, 'diritems/id/2')).toBe(200)
      mounts[1]?.goOn()
      await expect.poll(() => statusOf(waiting, hanging)).toBe(200)
      await waiting.end()
    })
  },
)
