import { createHash } from 'node:crypto'
import { Rules, Settings } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { openRegistryWriter, type RegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import type { Now } from '../../src/ports.js'
import type { Registry } from '../../src/Registry.js'
import type { RegistryUrl } from '../../src/RegistryUrl.js'
import { padded } from '../../src/rows.js'
import type { Running } from '../engines.js'
import { rawDatabase } from '../rawDatabase.js'
import { forThisTest, left, opened, openRegistryWith, right } from '../right.js'
import {
  newAccount,
  newToken,
  newTrigger,
  path,
  rule,
  seconds,
  token,
  triggerId,
  triggerValue,
  user,
} from '../values.js'

interface Both {
  readonly url: RegistryUrl
  readonly writer: RegistryWriter
  readonly registry: Registry
}

export const serversRead = (running: () => Running): void => {
  const both = (look: (both: Both) => Promise<void>, now?: Now) => async () => {
    const url = await running().newRegistry()
    const writer = await opened(openRegistryWriter(url))
    const registry = await opened(openRegistryWith(url, {}, now))
    await look({ url, writer, registry })
  }

  describe('a change takes effect for the next request in a server that runs already', () => {
    it(
      'when a token is issued and revoked',
      both(async ({ writer, registry }) => {
        const { id } = await right(writer.accounts.create(newAccount()))
        expect(await left(registry.areaOfToken(token(1)))).toEqual({ error: 'invalid token' })
        await right(writer.tokens.add(newToken(id, { scope: path('/a') })))
        expect(await right(registry.areaOfToken(token(1)))).toEqual({ area: { owner: 1n, location: '1' }, scope: '/a' })
        await right(writer.tokens.revoke(token(1)))
        expect(await left(registry.areaOfToken(token(1)))).toEqual({ error: 'invalid token' })
      }),
    )
    it(
      'when an account is verified, unverified, given another area and deleted',
      both(async ({ writer, registry }) => {
        const { id } = await right(writer.accounts.create(newAccount({ verified: false })))
        await right(writer.tokens.add(newToken(id)))
        const area = { owner: id, location: id.toString() }
        const answers = async () => [await registry.areaOfToken(token(1))(), await registry.areaOfUser(id)()]
        const opens = (opened: object) => [E.right({ area: opened, scope: '/' }), E.right(opened)]
        const refuses = (error: string) => [E.left({ error }), E.left({ error: 'permission denied' })]
        expect(await answers()).toEqual(refuses('not verified'))
        for (const [change, expected] of [
          [{ verified: true }, opens(area)],
          [{ verified: false }, refuses('not verified')],
          [{ verified: true }, opens(area)],
          [{ isMountPoint: true }, opens({ ...area, isMountPoint: true })],
        ] as const) {
          await right(writer.accounts.update(id, change))
          expect(await answers()).toEqual(expected)
        }
        await right(writer.accounts.delete(id))
        expect(await answers()).toEqual(refuses('invalid token'))
      }),
    )
    it(
      'when a visibility is set and removed',
      both(async ({ writer, registry }) => {
        const { id } = await right(writer.accounts.create(newAccount()))
        await right(writer.settings.set(id, path('/a'), 'public'))
        expect(await right(registry.settingsOf(id))).toEqual(Settings.fromRecord({ '/a': 'public' }))
        await right(writer.settings.set(id, path('/a'), 'hidden'))
        expect(await right(registry.settingsOf(id))).toEqual(Settings.fromRecord({ '/a': 'hidden' }))
        await right(writer.settings.remove(id, path('/a')))
        expect(await right(registry.settingsOf(id))).toEqual(Settings.none)
      }),
    )
    it(
      'when a rule is added, changed and removed',
      both(async ({ writer, registry }) => {
        const { id } = await right(writer.accounts.create(newAccount()))
        const rules = async () => Rules.toRules(Settings.rules(await right(registry.settingsOf(id))))
        expect(await rules()).toEqual([])
        for (const changed of [rule('.*', 'private'), rule('.*', 'hidden')]) {
          await right(writer.rules.add(id, [changed]))
          expect(await rules()).toEqual([changed])
        }
        await right(writer.rules.remove(id, rule('.*').pattern))
        expect(await right(registry.settingsOf(id))).toEqual(Settings.none)
      }),
    )
    it(
      'when a trigger is made and deleted',
      both(async ({ writer, registry }) => {
        await right(writer.triggers.create(newTrigger('t', { value: triggerValue('{"type":"x", "n": 1.0}') })))
        expect(await right(registry.triggerOf(triggerId('t')))).toEqual({ type: 'x', json: '{"type":"x", "n": 1.0}' })
        await right(writer.triggers.delete(triggerId('t')))
        expect(await left(registry.triggerOf(triggerId('t')))).toEqual({ error: 'trigger not found' })
      }),
    )
  })

  describe('expiry', () => {
    const clock = { now: 0n }
    it(
      'comes in the second that was named, by the clock and over the whole of u64',
      both(
        async ({ writer, registry }) => {
          const { id } = await right(writer.accounts.create(newAccount()))
          for (const [n, expires] of [9n, 10n, 2n ** 63n, 2n ** 64n - 1n].entries()) {
            const at = O.some(seconds(expires))
            await right(writer.tokens.add(newToken(id, { token: token(n), expires: at })))
            await right(writer.triggers.create(newTrigger(`t${n}`, { expires: at })))
            clock.now = expires - 1n
            expect((await right(registry.areaOfToken(token(n)))).scope).toBe('/')
            expect((await right(registry.triggerOf(triggerId(`t${n}`)))).type).toBe('t')
            clock.now = expires
            expect(await left(registry.areaOfToken(token(n)))).toEqual({ error: 'invalid token' })
            expect(await left(registry.triggerOf(triggerId(`t${n}`)))).toEqual({ error: 'trigger not found' })
          }
        },
        () => seconds(clock.now),
      ),
    )
    it(
      'is by the system clock where no other is given',
      both(async ({ writer, registry }) => {
        const { id } = await right(writer.accounts.create(newAccount()))
        const now = BigInt(Math.floor(Date.now() / 1000))
        await right(writer.tokens.add(newToken(id, { token: token(1), expires: O.some(seconds(now)) })))
        await right(writer.tokens.add(newToken(id, { token: token(2), expires: O.some(seconds(now + 3600n)) })))
        expect(await left(registry.areaOfToken(token(1)))).toEqual({ error: 'invalid token' })
        expect((await right(registry.areaOfToken(token(2)))).scope).toBe('/')
      }),
    )
  })

  it(
    'a token opens an area by its whole hash alone',
    both(async ({ url, writer, registry }) => {
      const { id } = await right(writer.accounts.create(newAccount()))
      await right(writer.tokens.add(newToken(id)))
      const raw = forThisTest(await rawDatabase(url))
      const { sha256 } = await raw.selectFrom('tokens').select('sha256').executeTakeFirstOrThrow()
      expect(sha256).toBe(createHash('sha256').update(token(1)).digest('hex'))
      const other = (digit = '') => (digit === '0' ? '1' : '0')
      for (const almost of [sha256.slice(0, -1) + other(sha256.at(-1)), other(sha256[0]) + sha256.slice(1)]) {
        await raw.updateTable('tokens').set({ sha256: almost }).execute()
        expect(await left(registry.areaOfToken(token(1)))).toEqual({ error: 'invalid token' })
      }
    }),
  )

  describe('a row that Canopy did not write is `external`, and the cause names its column, not its value', () => {
    const notOurs = (columns: string) => ({
      error: 'external',
      cause: new Error(`the registry holds a value that Canopy does not write, in ${columns}`),
    })
    it(
      'in every table',
      both(async ({ url, writer, registry }) => {
        const { id } = await right(writer.accounts.create(newAccount()))
        await right(writer.tokens.add(newToken(id)))
        await right(writer.settings.set(id, path('/a'), 'public'))
        await right(writer.triggers.create(newTrigger('t')))
        const raw = forThisTest(await rawDatabase(url))
        await raw.updateTable('tokens').set({ scope: 's3cret', expires: '77' }).execute()
        await raw.updateTable('settings').set({ visibility: 'secret', path: '/a/' }).execute()
        await raw.updateTable('triggers').set({ value: '{"type":7,"key":"s3cret"}' }).execute()
        expect(await left(registry.areaOfToken(token(1)))).toEqual(notOurs('tokens.scope, tokens.expires'))
        expect(await left(registry.settingsOf(id))).toEqual(notOurs('settings.path, settings.visibility'))
        expect(await left(registry.triggerOf(triggerId('t')))).toEqual(notOurs('triggers.value'))
        await raw.updateTable('accounts').set({ verified: 2 }).execute()
        expect(await left(registry.areaOfUser(id))).toEqual(notOurs('accounts.verified'))
      }),
    )
    it(
      'settings.path_sha256, where a path has two rows',
      both(async ({ url, writer, registry }) => {
        const { id } = await right(writer.accounts.create(newAccount()))
        await right(writer.settings.set(id, path('/a'), 'public'))
        const raw = await rawDatabase(url)
        await raw.updateTable('settings').set({ path_sha256: 'zz' }).execute()
        await raw.destroy()
        expect(await right(registry.settingsOf(id))).toEqual(Settings.fromRecord({ '/a': 'public' }))
        await right(writer.settings.set(id, path('/a'), 'private'))
        expect(await left(registry.settingsOf(id))).toEqual(notOurs('settings.path_sha256'))
        expect(await left(writer.settings.of(id))).toEqual(notOurs('settings.path_sha256'))
      }),
    )
  })

  it.each([
    ['a visibility that only a setting may have', [{ pattern: 'a', visibility: 'public' }], 'rules.visibility'],
    ['a pattern that no name can match', [{ pattern: 'a/b', visibility: 'private' }], 'rules.pattern'],
    [
      'more rules than an account may have',
      Array.from({ length: 101 }, (_, n) => ({ pattern: `${n}`, visibility: 'private' })),
      'rules.pattern',
    ],
    [
      'longer patterns than an account may have',
      Array.from({ length: 9 }, (_, n) => ({ pattern: `${n}`.repeat(255), visibility: 'private' })),
      'rules.pattern',
    ],
  ])('%s is `external`, and nothing is shown without the rule', (_, rows, column) =>
    both(async ({ url, writer, registry }) => {
      const { id } = await right(writer.accounts.create(newAccount()))
      const raw = forThisTest(await rawDatabase(url))
      await raw
        .insertInto('rules')
        .values(rows.map((row) => ({ account: padded(id), ...row })))
        .execute()
      const failure = {
        error: 'external',
        cause: new Error(`the registry holds a value that Canopy does not write, in ${column}`),
      }
      expect(await left(registry.settingsOf(id))).toEqual(failure)
      expect(await left(writer.settings.of(id))).toEqual(failure)
    })(),
  )

  it(
    'whatever the driver throws is `external`',
    both(async ({ url, registry }) => {
      const raw = forThisTest(await rawDatabase(url))
      for (const table of ['tokens', 'settings', 'rules', 'triggers', 'accounts'])
        await raw.schema.dropTable(table).execute()
      for (const ask of [
        registry.areaOfToken(token(1)),
        registry.areaOfUser(user('1')),
        registry.settingsOf(user('1')),
        registry.triggerOf(triggerId('t')),
      ])
        expect(await ask()).toMatchObject({ left: { error: 'external' } })
    }),
  )

  it('a registry that was closed answers `external`', async () => {
    const url = await running().newRegistry()
    const registry = await opened(openRegistry(url))
    await registry.close()
    expect((await left(registry.areaOfUser(user('1')))).error).toBe('external')
  })
}
