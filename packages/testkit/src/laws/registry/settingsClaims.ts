import { type Settings, UserId } from '@canopy/domain'
import type { WorldSetting } from '../../World.js'
import { saidName } from '../storage/said.js'
import { about, type RegistryClaim } from './RegistryClaim.js'

const saidSettings = (settings: Settings.Settings): ReadonlyArray<string> =>
  Array.from(settings, ([path, visibility]) => `${saidName(path)} ${visibility}`)

const notIn = (all: ReadonlyArray<string>) => {
  const known = new Set(all)
  return (one: string) => !known.has(one)
}

/** What was answered of one account stays as it was while another one is asked for. */
export const settingsStay = (id: string, otherId: string): RegistryClaim =>
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
export const settingsAre = (id: string, settings: ReadonlyArray<WorldSetting>): RegistryClaim =>
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
