import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area, U64, UserId } from '@canopy/domain'
import type { Account, AccountChange, NewAccount, RegistryWriter } from '@canopy/registry/admin'
import { StorageRoot } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAccount, type WantedAccount } from '../src/makeAccount.js'

const idOf = (id: bigint) => U64.clamp(id) as UserId.UserId

/** Another process takes the first id just before it is asked for. */
const takenMeanwhile = () => {
  const accounts: Array<Account> = []
  const create = (wanted: NewAccount) => {
    const location = Area.location(UserId.toDecimal(wanted.id))
    const isTaken = accounts.length === 0
    const account = { ...wanted, location, isMountPoint: false, areaMade: false }
    accounts.push(account)
    return isTaken ? TE.left({ error: 'account exists', id: wanted.id } as const) : TE.right(account)
  }
  const update = (id: UserId.UserId, change: AccountChange) =>
    TE.fromIO(() => ({ ...(accounts.find((account) => account.id === id) ?? expect.fail('unknown')), ...change }))
  // Nothing else of it is asked.
  return { accounts: { all: async () => E.right(accounts), create, update } } as unknown as RegistryWriter
}

const made = async (id: O.Option<UserId.UserId>) => {
  const directory = await mkdtemp(join(tmpdir(), 'canopy-create-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const root = E.getOrElseW((problem: string): never => expect.fail(problem))(
    StorageRoot.fromText('/')(`file:${directory}`),
  )
  const wanted: WantedAccount = { id, name: O.none, verified: true, location: O.none }
  // Only what makes an account is asked.
  const answer = await makeAccount(wanted)({ registry: takenMeanwhile(), root, storage: {} as never })()
  return [E.isRight(answer) ? answer.right.account.id : answer.left.error, await readdir(directory)]
}

describe('an account whose id another process was quicker to take', () => {
  it('gets the next one, where it has no choice of its own', async () => {
    expect(await made(O.none)).toEqual([idOf(2n), ['2']])
  })

  it('is refused, where it wants that one', async () => {
    expect(await made(O.some(idOf(1n)))).toEqual(['account exists', []])
  })
})
