import { setTimeout as sleep } from 'node:timers/promises'
import { StoragePath } from '@canopy/domain'
import { openRegistryWriter, type RegistryWriter } from '@canopy/registry/admin'
import { dir, forwarder, pgbouncerIsTested, runs, startPgbouncer, worldWith } from '@canopy/test-support'
import type { World } from '@canopy/testkit'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { opened, right } from '../../../packages/registry/test/right.js'
import { newToken, token as tokenOf, user } from '../../../packages/registry/test/values.js'
import { postgresIsTested, postgresWithRoles, urlAs } from './registries.js'
import { dataOf, type Server, seedData, serverOfTest } from './startServer.js'

const [one, two] = [worldWith([dir('a')], { tokens: [], settings: [] }), worldWith([], { id: '2', tokens: [] })]
const world: World = { accounts: [...one.accounts, ...two.accounts], triggers: [] }

// Only the long check, on a quiet machine, enforces the exact times.
const isLong = process.env['CANOPY_TEST'] === 'long'
const deadlineMs = isLong ? 10_000 : 30_000

describe.runIf(postgresIsTested)('two servers over one PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof postgresWithRoles>>
  let database = ''
  const over = dataOf(async (data) => {
    postgres = await postgresWithRoles()
    database = postgres.database
    await seedData(data, world, postgres.admin)
  })
  afterAll(() => postgres.stop())

  const twoServers = async (url: string): Promise<ReadonlyArray<Server>> => {
    const variables = { CANOPY_DATA: over.data, CANOPY_REGISTRY: url, CANOPY_FAILED_LOOKUPS: '0' }
    return Promise.all([serverOfTest(variables), serverOfTest(variables)])
  }

  describe('give no stale answer', () => {
    const visitor = '/api/usercontent/v1/diritems/id/1/a'
    const [account, token] = [user('1'), tokenOf(1)]
    const owner = `/api/storage/v1/tree/${token}/`

    type Change = readonly [task: TE.TaskEither<unknown, unknown>, visitor: number, owner: number]

    /** Changes, with the status that a visitor and an owner get next. */
    const changesBy = ({ accounts, settings, tokens }: RegistryWriter): ReadonlyArray<Change> => [
      [settings.set(account, StoragePath.root, 'public'), 200, 401],
      [tokens.add(newToken(account)), 200, 200],
      [settings.set(account, StoragePath.root, 'private'), 403, 200],
      [accounts.update(account, { verified: false }), 403, 403],
      [accounts.update(account, { verified: true }), 403, 200],
      [settings.set(account, StoragePath.root, 'public'), 200, 200],
      [tokens.revoke(token), 200, 401],
      [settings.remove(account, StoragePath.root), 403, 401],
    ]

    const modes = ['none', ...(pgbouncerIsTested ? (['session', 'transaction'] as const) : [])] as const

    it.each(modes)('after 1,000 changes, with PgBouncer in mode: %s', { timeout: 300_000 }, async (mode) => {
      let url = database
      if (mode !== 'none') {
        const pooler = await startPgbouncer(database, mode, ['canopy_admin', 'canopy_server'])
        onTestFinished(pooler.stop)
        url = pooler.urlOf(database)
      }
      const connectionString = urlAs('canopy_admin', url)
      const writer = await opened(openRegistryWriter({ engine: 'PostgreSQL', connectionString }))
      const servers = await twoServers(urlAs('canopy_server', url))
      for (let round = 0; round < runs(125); round += 1)
        for (const [task, ...expected] of changesBy(writer)) {
          await right(task)
          const asked = servers.flatMap((server) => [visitor, owner].map((target) => server.status(target)))
          expect([round, ...(await Promise.all(asked))]).toEqual([round, ...expected, ...expected])
        }
    })
  })

  describe('answer within their deadline while it', () => {
    type Outage = Readonly<Record<'begin' | 'end', () => unknown>> & { readonly url: string }

    const outages: Readonly<Record<string, () => Promise<Outage>>> = {
      'is down': async () => ({ url: postgres.server, begin: postgres.crash, end: postgres.restart }),
      'is stopped': async () => ({ url: postgres.server, begin: postgres.pause, end: postgres.goOn }),
      'is cut off in the middle': async () => {
        const way = await forwarder(new URL(database))
        onTestFinished(async () => void (await way.close()))
        return { url: urlAs('canopy_server', way.connectionString), begin: way.cut, end: way.revive }
      },
      ...(pgbouncerIsTested && {
        'is down behind PgBouncer': async () => {
          const pooler = await startPgbouncer(database, 'transaction', ['canopy_server'])
          onTestFinished(pooler.stop)
          return { url: pooler.urlOf(postgres.server), begin: postgres.crash, end: postgres.restart }
        },
      }),
    }

    it.each(Object.entries(outages))('%s, and recover soon after', { timeout: 120_000 }, async (_, prepared) => {
      const outage = await prepared()
      const servers = await twoServers(outage.url)
      const answers: Array<{ readonly status: number; readonly began: number; readonly ms: number }> = []
      let ends = Number.POSITIVE_INFINITY
      const ask = async (server: Server, target: string): Promise<void> => {
        while (performance.now() < ends) {
          const began = performance.now()
          const status = await server.status(target)
          answers.push({ status, began, ms: performance.now() - began })
          await sleep(10)
        }
      }
      const tree = '/api/usercontent/v1/tree/id/2'
      const asking = servers.flatMap((server) => [tree, tree, tree, '/readyz'].map((target) => ask(server, target)))
      await sleep(500)
      await outage.begin()
      await sleep(5_000)
      await outage.end()
      const returned = performance.now()
      const isWell = (): boolean => {
        const last = answers.filter(({ began }) => began > performance.now() - 1_000)
        return last.length > 0 && last.every(({ status }) => status === 200)
      }
      await expect.poll(isWell).toBe(true)
      ends = performance.now()
      await Promise.all(asking)
      const failed = answers.filter(({ status }) => status !== 200)
      expect(failed.filter(({ status }) => status !== 502 && status !== 503)).toEqual([])
      expect(failed.length).toBeGreaterThan(0)
      expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(deadlineMs)
      const lastFailed = Math.max(...failed.map(({ began }) => began))
      expect(lastFailed - returned).toBeLessThan(isLong ? 2_000 : 60_000)
    })
  })
})
