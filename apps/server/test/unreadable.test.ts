import { join } from 'node:path'
import { checkOverHttp } from '@canopy/test-support'
import { type Ask, deadEntryScenarios, faultScenarios, headerOf, target } from '@canopy/testkit'
import { afterAll, describe, expect, it } from 'vitest'
import { deadMount, fuseIsTested } from './mounts.js'
import { seedData, serverOver } from './startServer.js'

const world = faultScenarios[0]?.world ?? { accounts: [], triggers: [] }

/** The dead entries of `deadEntryScenarios`. */
const deadEntries = ['areas/8/mounts/secret', 'areas/8/open/mount']

/** Root without the capabilities that override permissions. */
const obeying = ['setpriv', ...['bounding-set', 'inh-caps'].map((set) => `--${set}=-dac_override,-dac_read_search`)]

describe('the built server over files and SQLite, subject to permissions', () => {
  const unmounts: Array<() => Promise<void>> = []
  const over = serverOver(
    async (data) => {
      await seedData(data, world)
      if (fuseIsTested) for (const entry of deadEntries) unmounts.push(await deadMount(join(data, entry)))
    },
    {},
    { first: process.geteuid?.() === 0 ? obeying : [] },
  )
  afterAll(async () => {
    for (const unmount of unmounts) await unmount()
  })

  it.each([...faultScenarios, ...(fuseIsTested ? deadEntryScenarios : [])])('$name', async (each) => {
    expect(await checkOverHttp(over.server.port, each)).toEqual([])
  })

  const linesOf = async (ask: Ask) => {
    const id = headerOf(await over.server.get(target(ask)), 'X-Request-Id')
    const lines = () => over.server.lines.filter((line) => line['id'] === id)
    await expect.poll(lines, { timeout: 20_000 }).not.toEqual([])
    return lines()
  }

  const asked = (path: string, operation: 'userContentTree' | 'userContentDirItems' = 'userContentTree') =>
    ({ operation, credential: '8', path }) as const

  const denied = (call: string) => ({
    code: 'EACCES',
    message: `EACCES: permission denied, ${call} in area '8'. The user that runs Canopy does not have access: change the permissions of the path or its parent directories, or run Canopy as another user`,
  })
  const cause = denied("scandir '/docs/locked'")
  const failed = { level: 50, status: 502, error: 'external' }
  const unreadable = { directories: 1, first: { path: '/docs/locked', cause } }

  const message = expect.stringMatching(/^[A-Z]+: .*, lstat '\/open\/mount' in area '8'\. The mount is disconnected/)
  const dead = ['has an entry that cannot be looked at', asked('/open'), { cause: { message } }] as const

  it.each<readonly [string, Ask, object]>([
    ['is not expanded', asked('/docs'), { level: 40, status: 200, unreadable }],
    ['was asked for', asked('/docs/locked'), { ...failed, cause }],
    ['was asked for as a listing', asked('/docs/locked', 'userContentDirItems'), { ...failed, cause }],
    ['lies in it', asked('/docs/locked/a'), { ...failed, cause: denied("lstat '/docs/locked/a'") }],
    ...(fuseIsTested ? [dead] : []),
  ])('is named in the log by its path in the area, with the cause, when it %s', async (_, ask, line) => {
    expect(await linesOf(ask)).toMatchObject([line])
    expect(JSON.stringify(over.server.lines)).not.toContain('/proc/')
  })
})
