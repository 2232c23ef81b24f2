import { TriggerId } from '@canopy/domain'
import { saidName } from '../storage/said.js'
import { about, answers, type RegistryClaim } from './RegistryClaim.js'

const triggerSays = (text: string, expected: string): RegistryClaim =>
  about(`the trigger ${saidName(text)}`, TriggerId.codec.decode(text), (id) =>
    answers(
      `the trigger ${saidName(text)}`,
      (ports) => ports.triggerOf(id),
      ({ type, json }) => `${saidName(type)} ${json}`,
      expected,
    ),
  )

export const triggerHolds = (id: string, type: string, json: string): RegistryClaim =>
  triggerSays(id, `${saidName(type)} ${json}`)

export const triggerIsNotFound = (id: string): RegistryClaim => triggerSays(id, 'trigger not found')
