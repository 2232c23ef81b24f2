import { type Settings, type StoragePath, U64, type UserId, type Visibility } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe } from 'vitest'
import { settingsLaws } from '../../src/laws/registryLaws.js'
import type { WorldAccount, WorldSetting } from '../../src/World.js'
import { type Break, lawsCatch } from './brokenRegistries.js'

const accounts = (change: (account: WorldAccount) => WorldAccount): Break => ({
  world: (world) => ({ ...world, accounts: world.accounts.map(change) }),
})

const settings = (change: (settings: ReadonlyArray<WorldSetting>) => ReadonlyArray<WorldSetting>): Break =>
  accounts((account) => ({ ...account, settings: change(account.settings) }))

const paths = (change: (path: string) => string): Break =>
  settings((all) => all.map((setting) => ({ ...setting, path: change(setting.path) })))

const asking = (change: (user: UserId.UserId) => bigint): Break => ({
  ports: (ports) => ({ ...ports, settingsOf: (user) => ports.settingsOf(U64.clamp(change(user)) as UserId.UserId) }),
})

const ofEverybody: Break = {
  world: ({ accounts, triggers }) => {
    const all = accounts.flatMap((account) => account.settings)
    return { triggers, accounts: accounts.map((account) => ({ ...account, settings: all })) }
  },
}

const emptiedByAsking: Break = {
  ports: (ports) => {
    const asked = new Set<bigint>()
    const none: Settings.Settings = new Map<StoragePath.StoragePath, Visibility.Visibility>()
    return {
      ...ports,
      settingsOf: (user) => {
        const again = asked.has(user)
        asked.add(user)
        return again ? TE.right(none) : ports.settingsOf(user)
      },
    }
  },
}

const refilled: Break = {
  ports: (ports) => {
    const shared = new Map<StoragePath.StoragePath, Visibility.Visibility>()
    return {
      ...ports,
      settingsOf: (user) =>
        pipe(
          ports.settingsOf(user),
          TE.map((settings) => {
            shared.clear()
            for (const [path, visibility] of settings) shared.set(path, visibility)
            return shared
          }),
        ),
    }
  },
}

describe('settingsLaws', () => {
  lawsCatch(settingsLaws, {
    'the settings of an area are exactly those that were made': {
      'does not keep the root': settings((all) => all.filter(({ path }) => path !== '/')),
      'adds a default': settings((all) => [...all, { path: '/default', visibility: 'private' }]),
    },
    'there may be many of them': { 'reads a page of them': settings((all) => all.slice(0, 1_000)) },
    'an area where nothing is set, and an unknown account, have none': {
      'falls back to an account it knows': asking((user) => (user === 7n ? user : 8n)),
    },
    'each account has its own, whichever u64 its id is': {
      'gives everybody all settings': ofEverybody,
      'asks in 53 bits': asking((user) => BigInt(Number(user))),
      'fills one map again and again': refilled,
    },
    'what is asked at once is answered as one after the other': {
      'answers the one who asked last': {
        ports: (ports) => {
          const last: { user?: UserId.UserId } = {}
          return {
            ...ports,
            settingsOf: (user) => async () => {
              last.user = user
              await Promise.resolve()
              return ports.settingsOf(last.user)()
            },
          }
        },
      },
    },
    'also of an account that is not verified': {
      'forgets them': accounts((account) => ({ ...account, settings: account.verified ? account.settings : [] })),
    },
    'paths are stored to the byte': {
      'folds case': paths((path) => path.toLowerCase()),
      trims: paths((path) => path.trim()),
      decodes: paths((path) => path.replace('%2F', '/')),
    },
    'a path may be as long and as deep as paths can be': {
      'cuts them': paths((path) => path.slice(0, 2000)),
    },
    'asking changes nothing': { 'empties what was asked for': emptiedByAsking },
  })
})
