import { createHash } from 'node:crypto'
import { Settings } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import { notWrittenByCanopy, padded } from '../../src/rows.js'
import { type Running, rawDatabase } from '../engines.js'
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

const id = user('1')

export const serversRead = (running: () => Running): void => {
  /** A registry with account 1, its writer, and a server that has read it, with its clock in Unix seconds. */
  const world = async () => {
    const url = await running().newRegistry()
    const writer = await opened(openRegistryWriter(url))
    await right(writer.accounts.create(newAccount({ id })))
    const clock = { now: BigInt(Math.floor(Date.now() / 1000)) }
    const registry = await opened(openRegistryWith(url, {}, () => seconds(clock.now)))
    await right(registry.settingsOf(id))
    return { writer, registry, clock, raw: forThisTest(await rawDatabase(url)) }
  }

  describe('the next read of a running server sees', () => {
    it('an issued and a revoked token', async () => {
      const { writer, registry } = await world()
      expect(await left(registry.areaOfToken(token(1)))).toEqual({ error: 'invalid token' })
      await right(writer.tokens.add(newToken(id, { scope: path('/a') })))
      expect(await right(registry.areaOfToken(token(1)))).toEqual({ area: { owner: 1n, location: '1' }, scope: '/a' })
      await right(writer.tokens.revoke(token(1)))
      expect(await left(registry.areaOfToken(token(1)))).toEqual({ error: 'invalid token' })
    })

    it('a verified, unverified, moved and deleted account', async () => {
      const { writer, registry } = await world()
      await right(writer.tokens.add(newToken(id)))
      const area = { owner: id, location: '1' }
      const answers = async () => [await registry.areaOfToken(token(1))(), await registry.areaOfUser(id)()]
      const opens = (opened: object) => [E.right({ area: opened, scope: '/' }), E.right(opened)]
      const refuses = (error: string) => [E.left({ error }), E.left({ error: 'permission denied' })]
      expect(await answers()).toEqual(opens(area))
      for (const [change, expected] of [
        [{ verified: false }, refuses('not verified')],
        [{ verified: true }, opens(area)],
        [{ isMountPoint: true }, opens({ ...area, isMountPoint: true })],
      ] as const) {
        await right(writer.accounts.update(id, change))
        expect(await answers()).toEqual(expected)
      }
      await right(writer.accounts.delete(id))
      expect(await answers()).toEqual(refuses('invalid token'))
    })

    it('a set, changed and removed setting or rule', async () => {
      const { writer, registry } = await world()
      for (const visibility of ['public', 'hidden'] as const) {
        await right(writer.settings.set(id, path('/a'), visibility))
        expect(await right(registry.settingsOf(id))).toEqual(Settings.fromRecord({ '/a': visibility }))
      }
      await right(writer.settings.remove(id, path('/a')))
      for (const changed of [rule('.*', 'private'), rule('.*', 'hidden')]) {
        await right(writer.rules.add(id, [changed]))
        expect(Settings.rules(await right(registry.settingsOf(id)))).toEqual([changed])
      }
      await right(writer.rules.remove(id, rule('.*').pattern))
      expect(await right(registry.settingsOf(id))).toEqual(Settings.none)
    })

    it('a created and a deleted trigger', async () => {
      const { writer, registry } = await world()
      await right(writer.triggers.create(newTrigger('t', { value: triggerValue('{"type":"x", "n": 1.0}') })))
      expect(await right(registry.triggerOf(triggerId('t')))).toEqual({ type: 'x', json: '{"type":"x", "n": 1.0}' })
      await right(writer.triggers.delete(triggerId('t')))
      expect(await left(registry.triggerOf(triggerId('t')))).toEqual({ error: 'trigger not found' })
    })
  })

  it('tokens and triggers expire in their own second, over the whole of u64', async () => {
    const { writer, registry, clock } = await world()
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
  })

  it('the system clock decides expiry by default', async () => {
    const url = await running().newRegistry()
    const writer = await opened(openRegistryWriter(url))
    await right(writer.accounts.create(newAccount({ id })))
    const registry = await opened(openRegistry(url))
    const now = BigInt(Math.floor(Date.now() / 1000))
    await right(writer.tokens.add(newToken(id, { token: token(1), expires: O.some(seconds(now)) })))
    await right(writer.tokens.add(newToken(id, { token: token(2), expires: O.some(seconds(now + 3600n)) })))
    expect(await left(registry.areaOfToken(token(1)))).toEqual({ error: 'invalid token' })
    expect((await right(registry.areaOfToken(token(2)))).scope).toBe('/')
    await registry.close()
    expect((await left(registry.areaOfUser(id))).error).toBe('external')
  })

  it('only the whole hash of a token gives access', async () => {
    const { writer, registry, raw } = await world()
    await right(writer.tokens.add(newToken(id)))
    const { sha256 } = await raw.selectFrom('tokens').select('sha256').executeTakeFirstOrThrow()
    expect(sha256).toBe(createHash('sha256').update(token(1)).digest('hex'))
    const other = (digit = '') => (digit === '0' ? '1' : '0')
    for (const almost of [sha256.slice(0, -1) + other(sha256.at(-1)), other(sha256[0]) + sha256.slice(1)]) {
      await raw.updateTable('tokens').set({ sha256: almost }).execute()
      expect(await left(registry.areaOfToken(token(1)))).toEqual({ error: 'invalid token' })
    }
  })

  describe('an invalid row is `external`, and the cause names its columns', () => {
    it('in every table', async () => {
      const { writer, registry, raw } = await world()
      await right(writer.tokens.add(newToken(id)))
      await right(writer.settings.set(id, path('/a'), 'public'))
      await right(writer.triggers.create(newTrigger('t')))
      await raw.updateTable('tokens').set({ scope: 's3cret', expires: '77' }).execute()
      await raw.updateTable('settings').set({ visibility: 'secret', path: '/a/' }).execute()
      await raw.updateTable('triggers').set({ value: '{"type":7,"key":"s3cret"}' }).execute()
      expect(await left(registry.areaOfToken(token(1)))).toEqual(notWrittenByCanopy('tokens.scope, tokens.expires'))
      expect(await left(registry.settingsOf(id))).toEqual(notWrittenByCanopy('settings.path, settings.visibility'))
      expect(await left(registry.triggerOf(triggerId('t')))).toEqual(notWrittenByCanopy('triggers.value'))
      await raw.updateTable('accounts').set({ verified: 2 }).execute()
      expect(await left(registry.areaOfUser(id))).toEqual(notWrittenByCanopy('accounts.verified'))
    })

    it('if a path has two settings', async () => {
      const { writer, registry, raw } = await world()
      await right(writer.settings.set(id, path('/a'), 'public'))
      await raw.updateTable('settings').set({ path_sha256: 'zz' }).execute()
      expect(await right(registry.settingsOf(id))).toEqual(Settings.fromRecord({ '/a': 'public' }))
      await right(writer.settings.set(id, path('/a'), 'private'))
      for (const read of [registry.settingsOf(id), writer.settings.of(id)])
        expect(await left<unknown, unknown>(read)).toEqual(notWrittenByCanopy('settings.path_sha256'))
    })

    it.each([
      ['too many', Array.from({ length: 101 }, (_, n) => `${n}`)],
      ['too long', Array.from({ length: 9 }, (_, n) => `${n}`.repeat(255))],
    ])('for %s rules, so nothing is shown without its rule', async (_, patterns) => {
      const { writer, registry, raw } = await world()
      const rows = patterns.map((pattern) => ({ account: padded(id), pattern, visibility: 'private' }))
      await raw.insertInto('rules').values(rows).execute()
      for (const read of [registry.settingsOf(id), writer.settings.of(id)])
        expect(await left<unknown, unknown>(read)).toEqual(notWrittenByCanopy('rules.pattern'))
    })
  })

  it('an exception of the driver is `external`', async () => {
    const { registry, raw } = await world()
    for (const table of ['tokens', 'settings', 'rules', 'triggers', 'accounts'])
      await raw.schema.dropTable(table).execute()
    await raw.deleteFrom('settings_versions').execute()
    for (const ask of [registry.areaOfToken(token(1)), registry.areaOfUser(id), registry.triggerOf(triggerId('t'))])
      expect(await ask()).toMatchObject({ left: { error: 'external' } })
    expect(await registry.settingsOf(user('2'))()).toMatchObject({ left: { error: 'external' } })
  })
}
