import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { files, runs, token, worldWith } from '@canopy/test-support'
import { memoryPorts, type Ports, type WorldAccount } from '@canopy/testkit'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { metricsIn } from '../src/observe/prometheus.js'
import { later, logged, servedApps } from './inProcess.js'
import { counted } from './observe/observing.js'
import { seedData } from './seedData.js'
import { slowWorld, testSlowClients } from './slowClients.js'
import { serverOver } from './startServer.js'

describe('over a disk and SQLite', () => {
  const over = serverOver((data) => seedData(data, slowWorld), { CANOPY_METRICS_PORT: '0' })

  testSlowClients(runs(10, 20), () => ({
    variables: { CANOPY_DATA: over.data },
    servers: [over.server],
    addFile: (path) => writeFile(join(over.data, 'areas/1', path), ''),
  }))
})

describe('a storage that holds back the second page of a directory', () => {
  const serve = servedApps()
  const held = files(4)
  const added = files(1, 'new')
  const isPublic = { path: '/', visibility: 'public' } as const
  const withNew = (visibility: 'private' | 'hidden') => ({ settings: [isPublic, { path: '/new 0', visibility }] })

  /** The world changes, and then its directory has one more file, while the page is held. */
  const answerAround = async (route: string, change: Partial<WorldAccount>) => {
    const portsOf = (account: Partial<WorldAccount>) => memoryPorts(worldWith(held, account), { pageEntries: 2 })
    let now = portsOf({})
    const asked = later()
    const changed = later()
    const ports: Ports = {
      areaOfToken: (...of) => now.areaOfToken(...of),
      areaOfUser: (...of) => now.areaOfUser(...of),
      settingsOf: (...of) => now.settingsOf(...of),
      triggerOf: (...of) => now.triggerOf(...of),
      nodeAt: (...of) => now.nodeAt(...of),
      list: (area, path, options) => async () => {
        if (options?.after !== undefined) {
          asked.give()
          await changed.value
        }
        return now.list(area, path, options)()
      },
    }
    const registry = new Registry()
    const { lines, log } = logged()
    const { ask } = await serve(ports, { log, metrics: metricsIn(registry) })
    const answer = ask(route)
    await asked.value
    now = portsOf({ ...change, area: [...held, ...added] })
    changed.give()
    const { status, body } = await answer
    await expect.poll(() => lines.length).toBe(1)
    const failures = Object.keys(counted(await registry.metrics())).filter((name) => name.includes('failure="'))
    return { status, text: body.toString(), line: lines[0], failures }
  }

  const visitor = { diritems: '/api/usercontent/v1/diritems/id/1', tree: '/api/usercontent/v1/tree/id/1' }
  const owner = { diritems: `/api/storage/v1/diritems/${token}`, tree: `/api/storage/v1/tree/${token}` }

  interface PageChange {
    readonly routes: typeof visitor
    readonly change: Partial<WorldAccount>
    /** Otherwise the answer is complete, without the file. */
    readonly error?: string
  }
  const changes: Readonly<Record<string, PageChange>> = {
    'whose name is private': { routes: visitor, change: withNew('private') },
    'whose name is hidden': { routes: visitor, change: withNew('hidden') },
    'in a private directory': { routes: visitor, change: { settings: [] }, error: 'permission denied' },
    'of an unverified account': { routes: visitor, change: { verified: false }, error: 'permission denied' },
    'of an unverified account to its owner': { routes: owner, change: { verified: false }, error: 'not verified' },
    'to a revoked token': { routes: owner, change: { tokens: [] }, error: 'invalid token' },
  }

  it.each(Object.entries(changes))('shows no new file %s, in a listing or a tree', async (_, each) => {
    const { routes, change, error } = each
    const status = error === undefined ? 200 : error === 'invalid token' ? 401 : 403
    for (const route of Object.values(routes)) {
      const answer = await answerAround(route, change)
      expect(answer.text).not.toContain('new 0')
      expect(answer.text.includes('file 3')).toBe(error === undefined)
      expect(answer).toMatchObject({ status, line: { status, ...(error && { error }) } })
      expect(answer.failures).toContainEqual(expect.stringContaining(`failure="${error ?? 'none'}"`))
    }
  })
})
