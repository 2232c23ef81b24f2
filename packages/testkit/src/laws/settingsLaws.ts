import { Visibility } from '@canopy/domain'
import type { WorldSetting } from '../World.js'
import { atOnce } from './Claim.js'
import type { Law } from './Law.js'
import { oddNames } from './oddNames.js'
import { registryLaw } from './registry/registryLaw.js'
import { settingsAre, settingsStay } from './registry/settingsClaims.js'
import { account, publicAt, tellingIds } from './registry/worlds.js'
import type { PlantRegistry } from './Subject.js'

const several: ReadonlyArray<WorldSetting> = [
  { path: '/', visibility: 'hidden' },
  { path: '/a', visibility: 'public' },
  { path: '/a/b', visibility: 'private' },
  { path: '/a/b/c', visibility: 'hidden' },
  { path: '/ab', visibility: 'public' },
]

const inTurn = (path: string, i: number): WorldSetting => ({
  path,
  visibility: Visibility.all[i % Visibility.all.length] ?? 'private',
})

const odd = oddNames.map((name, i) => inTurn(`/${name}`, i))

const many = Array.from({ length: 1_500 }, (_, i) => inTurn(`/d${i % 10}/f${i}`, i))

/** Digits that no compression makes short: an index may not take the whole of a long path. */
const noise = (length: number): string =>
  Array.from({ length }, (_, i) => Math.abs(Math.trunc(Math.sin(i + 1) * 1e9) % 36).toString(36)).join('')

const longest = `/${Array.from({ length: 16 }, (_, i) => noise(4096).slice(i * 256, i * 256 + 255)).join('/')}`
const deepest = `/${Array.from({ length: 255 }, (_, i) => `${i % 10}`).join('/')}`
const longs = [longest, longest.slice(0, -1), deepest].map(inTurn)

/** The contract of `settingsOf`. */
export const settingsLaws: ReadonlyArray<Law<PlantRegistry>> = [
  registryLaw(
    'the settings of an area are exactly those that were made',
    {
      accounts: [account('7', { settings: several })],
    },
    [settingsAre('7', several)],
  ),
  registryLaw('there may be many of them', { accounts: [account('7', { settings: many })] }, [settingsAre('7', many)]),
  registryLaw(
    'an area where nothing is set, and an unknown account, have none',
    { accounts: [account('7'), account('8', { settings: several })] },
    [settingsAre('7', []), settingsAre('9', []), settingsAre('0', [])],
  ),
  registryLaw(
    'each account has its own, whichever u64 its id is',
    { accounts: tellingIds.map((id) => account(id, { settings: [publicAt('/shared'), publicAt(`/${id}`)] })) },
    [
      ...tellingIds.map((id) => settingsAre(id, [publicAt('/shared'), publicAt(`/${id}`)])),
      ...tellingIds.slice(1).map((id, i) => settingsStay(tellingIds[i] ?? id, id)),
    ],
  ),
  registryLaw(
    'what is asked at once is answered as one after the other',
    { accounts: tellingIds.map((id) => account(id, { settings: [publicAt(`/${id}`)] })) },
    [atOnce(tellingIds.map((id) => settingsAre(id, [publicAt(`/${id}`)])))],
  ),
  registryLaw(
    'also of an account that nobody verified',
    { accounts: [account('7', { verified: false, settings: several })] },
    [settingsAre('7', several)],
  ),
  registryLaw('paths are kept to the byte', { accounts: [account('7', { settings: odd })] }, [settingsAre('7', odd)]),
  registryLaw(
    'a path may be as long and as deep as paths can be',
    {
      accounts: [account('7', { settings: longs })],
    },
    [settingsAre('7', longs)],
  ),
  registryLaw(
    'asking changes nothing',
    { accounts: [account('7', { settings: several })] },
    [1, 2, 3].map(() => settingsAre('7', several)),
  ),
]
