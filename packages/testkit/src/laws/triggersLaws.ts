import { TriggerId } from '@canopy/domain'
import type { SeedRegistry } from '../Ports.js'
import { atOnce, type Law } from './Law.js'
import { oddNames } from './oddNames.js'
import { about, answers, type RegistryClaim, registryLaw, trigger } from './registryLaw.js'
import { saidName } from './storageClaims.js'

const triggerSays = (text: string, expected: string): RegistryClaim =>
  about(`the trigger ${saidName(text)}`, TriggerId.codec.decode(text), (id) =>
    answers(
      `the trigger ${saidName(text)}`,
      (ports) => ports.triggerOf(id),
      ({ type, json }) => `${saidName(type)} ${json}`,
      expected,
    ),
  )

const triggerHolds = (id: string, type: string, json: string): RegistryClaim =>
  triggerSays(id, `${saidName(type)} ${json}`)

const triggerIsNotFound = (id: string): RegistryClaim => triggerSays(id, 'trigger not found')

/** Each loses something when JSON is read and written again. */
const values = [
  '{"type":"t"}',
  '{"type":"t","n":18446744073709551615,"x":1.0,"e":1e400}',
  '{ "type" : "t" ,\n\t"z":1, "a":2 }',
  '{"type":"t","type2":null,"deep":{"type":"u","list":[1,[2,{"b":false}]]}}',
  '{"type":"t","s":"\\u00e9 é \\ud83d\\ude00 \\/ \\u0000"}',
  '{"a":1,"type":"t","a":2}',
  `{"type":"t","long":"${'x'.repeat(100_000)}"}`,
]

const odd = oddNames.map((name, i) => trigger(name, `{"type":"t","n":${i}}`))

/** The contract of `triggerOf`. */
export const triggersLaws: ReadonlyArray<Law<SeedRegistry>> = [
  registryLaw(
    'what a trigger holds is passed on as it is, to the byte',
    { triggers: values.map((value, i) => trigger(`t${i}`, value)) },
    values.map((value, i) => triggerHolds(`t${i}`, 't', value)),
  ),
  registryLaw('a trigger tells its type', { triggers: [trigger('a', '{"type":""}'), trigger('b', '{"type":"ü t"}')] }, [
    triggerHolds('a', '', '{"type":""}'),
    triggerHolds('b', 'ü t', '{"type":"ü t"}'),
  ]),
  registryLaw(
    'unknown, expired and deleted triggers are `trigger not found`',
    {
      triggers: [
        trigger('valid'),
        trigger('expired', '{"type":"t"}', 'expired'),
        trigger('deleted', '{"type":"t"}', 'deleted'),
      ],
    },
    [...['unknown', 'expired', 'deleted'].map(triggerIsNotFound), triggerHolds('valid', 't', '{"type":"t"}')],
  ),
  registryLaw('ids compare to the byte', { triggers: odd }, [
    ...oddNames.map((name, i) => triggerHolds(name, 't', `{"type":"t","n":${i}}`)),
    ...['_', '__', 'line', 'NAME.', 'name', '.HIDDEN'].map(triggerIsNotFound),
  ]),
  registryLaw(
    'what is asked at once is answered as one after the other',
    { triggers: values.map((value, i) => trigger(`t${i}`, value)) },
    [atOnce(values.map((value, i) => triggerHolds(`t${i}`, 't', value)))],
  ),
  registryLaw(
    'peeking changes nothing',
    { triggers: [trigger('a')] },
    [1, 2, 3].map(() => triggerHolds('a', 't', '{"type":"t"}')),
  ),
]
