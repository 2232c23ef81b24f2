import { join } from 'node:path'
import { checkOverHttp } from '@canopy/test-support'
import {
  type Ask,
  deadEntryScenarios,
  faultScenarios,
  headerOf,
  removeDirectory,
  request,
  target,
} from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canMount, deadMount } from './fuseMounts.js'
import { plantData } from './plantData.js'
import { type Server, startServer, temporaryData } from './startServer.js'

const [scenario] = faultScenarios
if (scenario === undefined) throw new Error('there are no such scenarios')
const { world } = scenario

/** What `deadEntryScenarios` call dead. */
const deadEntries = ['areas/8/mounts/secret', 'areas/8/open/mount']

const mounts = await canMount()

describe('the built server over files and SQLite, whom permissions stop', () => {
  const undo: Array<() => Promise<unknown>> = []
  let server: Server | undefined

  beforeAll(async () => {
    const data = await temporaryData()
    undo.push(() => removeDirectory(data))
    await plantData(data, world)
    if (mounts) for (const entry of deadEntries) undo.push(await deadMount(join(data, entry)))
    server = await startServer({ CANOPY_DATA: data }, { obeysPermissions: true })
    undo.push(() => server?.end() ?? Promise.resolve())
  })
  afterAll(async () => {
    for (const step of [...undo].reverse()) await step()
  })

  const port = (): number => server?.port ?? 0

  describe('with directories of mode 000', () => {
    it.each(faultScenarios)('$name', async (each) => {
      expect(await checkOverHttp(port(), each)).toEqual([])
    })
  })

  // Not run where bindfs is missing, or this user may not mount.
  describe.runIf(mounts)('with mounts whose server was killed', () => {
    it.each(deadEntryScenarios)('$name', async (each) => {
      expect(await checkOverHttp(port(), each)).toEqual([])
    })
  })

  /** The lines of the log of this question. */
  const linesOf = async (ask: Ask) => {
    const id = headerOf(await request(port(), { method: 'GET', target: target(ask) }), 'X-Request-Id')
    const lines = () => server?.lines.filter((line) => line['id'] === id) ?? []
    await expect.poll(lines, { timeout: 20_000 }).not.toEqual([])
    return lines()
  }

  const advice =
    'this user may not use it: change its permissions, or those of what is above it, or run this as another user'

  const asked = (path: string) => ({ operation: 'userContentTree', credential: '8', path }) as const

  it('names what is not expanded by its path inside the area, with the cause, in the one line of the request', async () => {
    const path = '/docs/locked'
    const cause = { code: 'EACCES', message: `EACCES: permission denied, scandir '${path}' in area '8': ${advice}` }
    expect(await linesOf(asked('/docs'))).toMatchObject([
      { level: 40, status: 200, unreadable: { directories: 1, first: { path, cause } } },
    ])
  })

  it('names what was asked for and cannot be read in the same way', async () => {
    const cause = {
      code: 'EACCES',
      message: `EACCES: permission denied, scandir '/docs/locked' in area '8': ${advice}`,
    }
    const expected = [{ level: 50, status: 502, error: 'external', cause }]
    expect(await linesOf(asked('/docs/locked'))).toMatchObject(expected)
    expect(await linesOf({ ...asked('/docs/locked'), operation: 'userContentDirItems' })).toMatchObject(expected)
    expect(await linesOf(asked('/docs/locked/a'))).toMatchObject([
      {
        cause: { code: 'EACCES', message: `EACCES: permission denied, lstat '/docs/locked/a' in area '8': ${advice}` },
      },
    ])
  })

  it.runIf(mounts)('names an entry that cannot be looked at', async () => {
    expect(await linesOf(asked('/open'))).toMatchObject([
      {
        cause: { message: expect.stringMatching(/^[A-Z]+: .*, lstat '\/open\/mount' in area '8': the mount is dead/) },
      },
    ])
  })

  it('never names a descriptor', () => {
    expect(JSON.stringify(server?.lines)).not.toContain('/proc/')
  })
})
