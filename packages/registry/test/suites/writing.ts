import { Area, Settings, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openRegistryWriter, type RegistryWriter } from '../../src/admin/RegistryWriter.js'
import { type Running, rawDatabase } from '../engines.js'
import { left, opened, right } from '../right.js'
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

const largest = user('18446744073709551615')

export const operatorsWrite = (running: () => Running): void => {
  describe('an operator', () => {
    let writer: RegistryWriter
    beforeAll(async () => {
      writer = await right(openRegistryWriter(await running().newRegistry()))
    })
    beforeEach(async () => {
      for (const { id } of await right(writer.accounts.all)) await right(writer.accounts.delete(id))
      for (const { id } of RA.rights(await right(writer.triggers.all))) await right(writer.triggers.delete(id))
    })
    afterAll(() => writer.close())

    const ids = async () => (await right(writer.accounts.all)).map(({ id }) => id.toString())

    const entriesAndRules = async (id: typeof largest) => {
      const settings = await right(writer.settings.of(id))
      return [[...Settings.entries(settings)], Settings.rules(settings)]
    }

    it('creates an account, and updates only the given fields', async () => {
      const account = newAccount({ id: largest, name: O.some('Zoë "Z" O\'Neill'), verified: false })
      const created = await right(writer.accounts.create(account))
      const location = '18446744073709551615'
      expect(created).toEqual({ ...account, id: largest, location, isMountPoint: false, areaMade: false })
      expect(await right(writer.accounts.find(largest))).toEqual(created)
      const other = await right(
        writer.accounts.create(newAccount({ id: user('2'), location: O.some(created.location) })),
      )
      expect(other.location).toBe(location)
      const change = { name: O.some('other'), location: Area.location('/mnt/disk'), isMountPoint: true, areaMade: true }
      expect(await right(writer.accounts.update(largest, change))).toEqual({ ...created, ...change })
      await right(writer.accounts.update(largest, { areaMade: false }))
      expect(await right(writer.accounts.find(largest))).toEqual({ ...created, ...change, areaMade: false })
    })

    it('lists the accounts by id, in numeric order', async () => {
      for (const id of ['10', '9', '18446744073709551615', '9007199254740993', '0'])
        await right(writer.accounts.create(newAccount({ id: user(id) })))
      expect(await ids()).toEqual(['0', '9', '10', '9007199254740993', '18446744073709551615'])
    })

    it('deletes an account with its tokens, settings and rules only', async () => {
      const gone = await right(writer.accounts.create(newAccount()))
      const stays = await right(writer.accounts.create(newAccount({ id: user('2') })))
      for (const [n, { id }] of [gone, stays].entries()) {
        await right(writer.tokens.add(newToken(id, { token: token(n) })))
        await right(writer.settings.set(id, path('/a'), 'public'))
        await right(writer.rules.add(id, [rule('.*')]))
      }
      expect(await right(writer.accounts.delete(gone.id))).toEqual(gone)
      expect(await ids()).toEqual(['2'])
      expect(await right(writer.tokens.of(stays.id))).toHaveLength(1)
      expect(await entriesAndRules(stays.id)).toEqual([[['/a', 'public']], [rule('.*')]])
      await right(writer.accounts.create(newAccount({ id: gone.id })))
      expect(await right(writer.tokens.of(gone.id))).toEqual([])
      expect(await right(writer.settings.of(gone.id))).toEqual(Settings.none)
    })

    it('gets `no such account` from every command on an unknown account', async () => {
      const id = user('99')
      const refusals = await Promise.all([
        left(writer.accounts.find(id)),
        left(writer.accounts.update(id, { verified: true })),
        left(writer.accounts.delete(id)),
        left(writer.tokens.add(newToken(id))),
        left(writer.tokens.of(id)),
        left(writer.settings.of(id)),
        left(writer.settings.set(id, path('/a'), 'public')),
        left(writer.settings.remove(id, path('/a'))),
        left(writer.rules.add(id, [rule('.*')])),
        left(writer.rules.remove(id, rule('.*').pattern)),
      ])
      expect(refusals).toEqual(refusals.map(() => ({ error: 'no such account', id })))
    })

    const anAccount = async () => (await right(writer.accounts.create(newAccount()))).id

    it('adds a token once, and lists it without its secret', async () => {
      const account = await anAccount()
      const scope = path('/photos/ü')
      const given = { account, scope, expires: O.some(seconds(2n ** 64n - 1n)), label: O.some('phone') }
      const record = await right(writer.tokens.add({ token: token(1), ...given }))
      expect(record).toEqual({ tokenId: expect.stringMatching(/^[0-9a-f]{16}$/), ...given })
      expect((await left(writer.tokens.add(newToken(account)))).error).toBe('external')
      expect(await right(writer.tokens.of(account))).toEqual([record])
    })

    it('revokes a token by its secret or its id, and refuses anything else', async () => {
      const account = await anAccount()
      const records = []
      for (const n of [1, 2, 3]) records.push(await right(writer.tokens.add(newToken(account, { token: token(n) }))))
      for (const name of [token(1), records[1]?.tokenId ?? '']) {
        expect(records).toContainEqual(await right(writer.tokens.revoke(name)))
        expect(await left(writer.tokens.revoke(name))).toEqual({ error: 'no such token' })
      }
      for (const unknown of ['', '%', '________________', '0123456789abcdef', token(9)])
        expect(await left(writer.tokens.revoke(unknown))).toEqual({ error: 'no such token' })
      expect(await right(writer.tokens.of(account))).toEqual([records[2]])
    })

    it('sets, replaces and removes the visibility of one path', async () => {
      const account = await anAccount()
      await right(writer.settings.set(account, path('/a'), 'public'))
      await right(writer.settings.set(account, StoragePath.root, 'hidden'))
      await right(writer.settings.set(account, path('/a'), 'private'))
      const root = [StoragePath.root, 'hidden'] as const
      expect(await right(writer.settings.of(account))).toEqual(Settings.fromEntries([root, [path('/a'), 'private']]))
      for (const none of [path('/a/b'), path('/A')])
        expect(await left(writer.settings.remove(account, none))).toEqual({
          error: 'no such setting',
          account,
          path: none,
        })
      await right(writer.settings.remove(account, path('/a')))
      expect(await right(writer.settings.of(account))).toEqual(Settings.fromEntries([root]))
    })

    it('adds, replaces and removes the rule of one pattern', async () => {
      const account = await anAccount()
      await right(writer.rules.add(account, [rule('.*'), rule('*.KEY')]))
      await right(writer.rules.add(account, [rule('.*', 'hidden')]))
      expect(await entriesAndRules(account)).toEqual([[], [rule('*.KEY'), rule('.*', 'hidden')]])
      const { pattern } = rule('*.key')
      expect(await left(writer.rules.remove(account, pattern))).toEqual({ error: 'no such rule', account, pattern })
      await right(writer.rules.remove(account, rule('*.KEY').pattern))
      expect(await entriesAndRules(account)).toEqual([[], [rule('.*', 'hidden')]])
    })

    it('adds no rule if one exceeds the bounds', async () => {
      const account = await anAccount()
      const many = Array.from({ length: 100 }, (_, n) => rule(`${n}`))
      await right(writer.rules.add(account, many))
      expect(await left(writer.rules.add(account, [rule('x')]))).toEqual({ error: 'too many rules', account })
      await right(writer.rules.add(account, many))
      for (const { pattern } of many.slice(10)) await right(writer.rules.remove(account, pattern))
      const long = Array.from({ length: 8 }, (_, n) => rule(`${n}`.repeat(255)))
      expect(await left(writer.rules.add(account, [rule('short'), ...long]))).toEqual({
        error: 'too many rules',
        account,
      })
      expect(await entriesAndRules(account)).toEqual([[], many.slice(0, 10)])
    })

    it('creates each trigger once, lists them in byte order, and deletes them', async () => {
      const made = ['é', 'B', 'a', '\u{1f600}', '～'].map((id) => newTrigger(id, { expires: O.some(seconds(5)) }))
      for (const trigger of made) expect(await right(writer.triggers.create(trigger))).toEqual(trigger)
      const other = newTrigger('a', { value: triggerValue('{"type":"other"}') })
      expect(await left(writer.triggers.create(other))).toEqual({ error: 'trigger exists', id: other.id })
      const all = RA.rights(await right(writer.triggers.all))
      expect(all.map(({ id }) => id)).toEqual(['B', 'a', 'é', '～', '\u{1f600}'])
      expect(new Set(all)).toEqual(new Set(made))
      for (const trigger of made) {
        expect(await right(writer.triggers.delete(trigger.id))).toEqual(E.right(trigger))
        expect(await left(writer.triggers.delete(trigger.id))).toEqual({ error: 'no such trigger', id: trigger.id })
      }
      expect(await right(writer.triggers.all)).toEqual([])
    })

    it('lists an invalid trigger as broken, and deletes it', async () => {
      const url = await running().newRegistry()
      const own = await opened(openRegistryWriter(url))
      const [sound] = await Promise.all(['b', 'a', 'c'].map((id) => right(own.triggers.create(newTrigger(id)))))
      const raw = await rawDatabase(url)
      await raw.updateTable('triggers').set({ value: '{"type":7,"key":"s3cret"}' }).where('id', '=', 'a').execute()
      await raw.updateTable('triggers').set({ id: 'c/d' }).where('id', '=', 'c').execute()
      await raw.destroy()
      const broken = (id: string, column: string) =>
        E.left({ id, cause: new Error(`the registry contains an invalid value in triggers.${column}`) })
      expect(await right(own.triggers.all)).toEqual([broken('a', 'value'), E.right(sound), broken('c/d', 'id')])
      expect(await right(own.triggers.delete(triggerId('a')))).toEqual(broken('a', 'value'))
      expect(await right(own.triggers.all)).toEqual([E.right(sound), broken('c/d', 'id')])
    })
  })
}
