import { TriggerValue } from '@canopy/domain'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { character } from './character.js'

const key = fc.constantFrom('value', 'id', 'content', 'a b', '', '__proto__', 'constructor', '\u00e9', '\u0000', 'Type')
const space = fc.constantFrom('', ' ', '\n  ')

const scalar = fc.oneof(
  { withCrossShrink: true },
  fc.constantFrom('null', 'true', 'false', '0', '-0', '1.0', '1E+400', '1e-7', '0.1000'),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc.string({ unit: character, maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0000"', '"\\ud800"', '"\\/"', '"type"'),
)

type Json = {
  readonly value: string
  readonly members: ReadonlyArray<string>
}

/** A name occurs once in an object: readers disagree on what a second one means. */
const { members } = fc.letrec<Json>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(',')}]`),
    tie('members').map((texts) => `{${texts.join(',')}}`),
  ),
  members: fc
    .uniqueArray(fc.tuple(key, space, tie('value')), { maxLength: 4, selector: ([name]) => name })
    .map((fields) => fields.map(([name, gap, text]) => `${JSON.stringify(name)}:${gap}${text}`)),
}))

const type = fc
  .oneof({ withCrossShrink: true }, fc.constantFrom('string', 'link', ''), fc.string({ maxLength: 8 }))
  .map((text) => `"type":${JSON.stringify(text)}`)

/** Text as people write it: `type` anywhere, white space, nesting, digits that a double cannot hold. */
export const triggerValue: fc.Arbitrary<TriggerValue.TriggerValue> = fc
  .record({ type, others: members, typeStandsAt: fc.nat({ max: 4 }), space })
  .map(({ type: typeField, others, typeStandsAt, space: gap }) =>
    [...others.slice(0, typeStandsAt), typeField, ...others.slice(typeStandsAt)].join(`,${gap}`),
  )
  .map((fields) => TriggerValue.fromJson(`{${fields}}`))
  .filter(E.isRight)
  .map(({ right }) => right)
