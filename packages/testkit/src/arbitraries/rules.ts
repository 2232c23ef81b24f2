import { type Name, NamePattern, type Rule } from '@canopy/domain'
import * as fc from 'fast-check'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Arbitrary from './names.js'

/** Returns the pattern that matches this name, and other spellings of its ASCII letters. */
export const literalPattern = (name: Name.Name): O.Option<NamePattern.NamePattern> =>
  NamePattern.fromString(name.replaceAll(/[*?\\]/g, '\\$&'))

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('*', '?', '\\*', '\\?', '\\\\', '\\a', '.', '-') },
  { weight: 3, arbitrary: Arbitrary.alike },
  { weight: 1, arbitrary: Arbitrary.character },
)

/** Patterns over the characters of {@link Arbitrary.alike}, and the exact patterns of odd names. */
export const namePattern: fc.Arbitrary<NamePattern.NamePattern> = fc
  .oneof(
    { weight: 3, arbitrary: fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('')) },
    {
      weight: 1,
      arbitrary: Arbitrary.name.map((name) =>
        pipe(
          literalPattern(name),
          O.getOrElse(() => '*'),
        ),
      ),
    },
  )
  .filter(NamePattern.is)

export const rule: fc.Arbitrary<Rule> = fc.record(
  { pattern: namePattern, visibility: fc.constantFrom('hidden', 'private') },
  { noNullPrototype: true },
)

/** Within the limits of an area. */
export const rules: fc.Arbitrary<ReadonlyArray<Rule>> = fc.array(rule, { maxLength: 3 })
