import { type Settings, UserId, Visibility } from '@canopy/domain'
import type { SeedRegistry } from '../Ports.js'
import type { WorldSetting } from '../World.js'
import { atOnce, type Law } from './Law.js'
import { oddNames } from './oddNames.js'
import { about, account, publicAt, type RegistryClaim, registryLaw, tellingIds } from './registryLaw.js'
import { saidName } from './storageClaims.js'

const saidSettings = (settings: Settings.Settings): ReadonlyArray<string> =>
  Array.from(settings, ([path, visibility]) => `${saidName(path)} ${visibility}`)

const notIn = (all: ReadonlyArray<string>) => {
  const known = new Set(all)
  return (one: string) => !known.has(one)
}

/** What was answered of one account stays as it was while another one is asked for. */
const settingsStay = (id: string, otherId: string): RegistryClaim =>
  about(`the user ${id}`, UserId.codec.decode(id), (user) =>
    about(`the user ${otherId}`, UserId.codec.decode(otherId), (other) => async (ports) => {
      const answer = await ports.settingsOf(user)()
      const said = () => (answer._tag === 'Left' ? answer.left.error : saidSettings(answer.right).join(', '))
      const before = said()
      await ports.settingsOf(other)()
      return said() === before ? [] : [`the settings of ${id} must not change when those of ${otherId} are asked for`]
    }),
  )

/** In the area of this account exactly these are set. */
const settingsAre = (id: string, settings: ReadonlyArray<WorldSetting>): RegistryClaim =>
  about(`the user ${id}`, UserId.codec.decode(id), (user) => async (ports) => {
    const answer = await ports.settingsOf(user)()
    if (answer._tag === 'Left') return [`the settings of ${id} are ${answer.left.error}`]
    const found = saidSettings(answer.right)
    const expected = settings.map(({ path, visibility }) => `${saidName(path)} ${visibility}`)
    return [
      ...expected.filter(notIn(found)).map((one) => `the settings of ${id} lack ${one}`),
      ...found.filter(notIn(expected)).map((one) => `the settings of ${id} must not hold ${one}`),
    ]
  })

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
export const settingsLaws: ReadonlyArray<Law<SeedRegistry>> = [
  registryLaw(
    'the settings of an area are exactly those that were made',
    [account('7', { settings: several })],
    [settingsAre('7', several)],
  ),
  registryLaw('there may be many of them', [account('7', { settings: many })], [settingsAre('7', many)]),
  registryLaw(
    'an area where nothing is set, and an unknown account, have none',
    [account('7'), account('8', { settings: several })],
    [settingsAre('7', []), settingsAre('9', []), settingsAre('0', [])],
  ),
  registryLaw(
    'each account has its own, whichever u64 its id is',
    tellingIds.map((id) => account(id, { settings: [publicAt('/shared'), publicAt(`/${id}`)] })),
    [
      ...tellingIds.map((id) => settingsAre(id, [publicAt('/shared'), publicAt(`/${id}`)])),
      ...tellingIds.slice(1).map((id, i) => settingsStay(tellingIds[i] ?? id, id)),
    ],
  ),
  registryLaw(
    'what is asked at once is answered as one after the other',
    tellingIds.map((id) => account(id, { settings: [publicAt(`/${id}`)] })),
    [atOnce(tellingIds.map((id) => settingsAre(id, [publicAt(`/${id}`)])))],
  ),
  registryLaw(
    'also of an account that nobody verified',
    [account('7', { verified: false, settings: several })],
    [settingsAre('7', several)],
  ),
  registryLaw('paths are kept to the byte', [account('7', { settings: odd })], [settingsAre('7', odd)]),
  registryLaw(
    'a path may be as long and as deep as paths can be',
    [account('7', { settings: longs })],
    [settingsAre('7', longs)],
  ),
  registryLaw(
    'asking changes nothing',
    [account('7', { settings: several })],
    [1, 2, 3].map(() => settingsAre('7', several)),
  ),
]
