import {
  Area,
  Name,
  NamePattern,
  type Rule,
  Rules,
  StoragePath,
  TriggerId,
  U64,
  UserId,
  Visibility,
} from '@canopy/domain'
import { Installation, reasonOf } from '@canopy/installation'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isLosslessNumber, parse } from 'lossless-json'
import { type Problem, wrongUsage } from './Problem.js'

/** Parses an argument of the command line into a value of the domain. */
type Parser<A> = (text: string) => E.Either<Problem, A>

/** Combines the arguments of a command, or returns the first problem. */
export const all = flow(sequenceS(E.Apply), TE.fromEither)

export const userId: Parser<UserId.UserId> = (text) =>
  pipe(
    UserId.fromDecimal(text),
    E.fromOption(() =>
      wrongUsage(`"${text}" is not an account ID`, 'use a whole number from 0 to 18446744073709551615, such as 42'),
    ),
  )

/**
 * Accepts a path without its leading slash or with a trailing one. Refuses the empty text, because an unset shell variable must
 * not publish a whole area.
 */
export const path: Parser<StoragePath.StoragePath> = (text) =>
  text === ''
    ? E.left(wrongUsage('the path is empty', 'use / for the root of the area'))
    : pipe(
        StoragePath.fromString(`/${text.replace(/^\//, '').replace(/(?<=[^/])\/$/, '')}`),
        E.fromOption(() =>
          wrongUsage(
            `invalid path "${text}"`,
            `use a path such as /photos/2026, without URL encoding, "//", "." or ".."; at most ${Name.maxBytes} bytes per component, ${StoragePath.maxSegments} components and ${StoragePath.maxBytes} bytes in total`,
          ),
        ),
      )

const replacementWarning =
  'Warning: the path contains the Unicode replacement character (U+FFFD). If the real name is not valid UTF-8, this command applies to a different path, and no client can see the real one.'

/** Warns of U+FFFD: Node puts it in place of bytes that are not UTF-8. A real name may contain it as well. */
export const replacementCharacterWarnings = (path: string): ReadonlyArray<string> =>
  path.includes('\uFFFD') ? [replacementWarning] : []

export const visibility: Parser<Visibility.Visibility> = E.fromPredicate(Visibility.codec.is, (text: string) =>
  wrongUsage(`invalid visibility "${text}"`, `use one of ${Visibility.all.join(', ')}`),
)

export const pattern: Parser<NamePattern.NamePattern> = E.fromPredicate(NamePattern.is, (text: string) =>
  wrongUsage(`invalid pattern "${text}": it ${NamePattern.wanted}`, "use * and ? as wildcards, as in '.*' or '*.key'"),
)

export const ruleVisibility: Parser<Rule['visibility']> = E.fromPredicate(Rules.visibilityCodec.is, (text: string) =>
  wrongUsage(`invalid rule visibility "${text}"`, 'use hidden or private: rules can only restrict visibility'),
)

/** The message does not repeat the text, which may be a URL with the id of a trigger. */
export const triggerId: Parser<TriggerId.TriggerId> = E.fromPredicate(TriggerId.is, () =>
  wrongUsage(
    'invalid trigger ID (value not shown)',
    `use 1 to ${Name.maxBytes} bytes without "/", and not "." or ".."`,
  ),
)

export const notEmpty = (argument: string): Parser<string> =>
  E.fromPredicate(
    (text) => text !== '',
    () => wrongUsage(`${argument} is empty`, 'omit it or give it a value'),
  )

/** Parses the location of an area. Refuses text that only a shell would expand, like the variables do. */
export const area = (argument: string): Parser<Area.AreaLocation> =>
  flow(
    notEmpty(argument),
    E.flatMap((text) => {
      const oddity = Installation.suspiciousPart(text)
      return oddity === undefined ? E.right(Area.location(text)) : E.left(wrongUsage(`${argument} ${oddity}`))
    }),
  )

/** Numbers become `LosslessNumber`s. `subject` begins the messages: `--value is `, or nothing. */
export const jsonObject =
  (subject: string, hint?: string): Parser<Readonly<Record<string, unknown>>> =>
  (text) =>
    pipe(
      E.tryCatch(
        () => parse(text),
        (cause) => wrongUsage(`${subject}not valid JSON: ${reasonOf(cause)}`),
      ),
      E.filterOrElse(
        (u): u is Readonly<Record<string, unknown>> =>
          typeof u === 'object' && u !== null && !Array.isArray(u) && !isLosslessNumber(u),
        () => wrongUsage(`${subject}not a JSON object`, hint),
      ),
    )

/** Accepts a missing option. */
export const optional =
  <A>(parser: Parser<A>) =>
  (text: string | undefined): E.Either<Problem, O.Option<A>> =>
    pipe(O.fromNullable(text), O.traverse(E.Applicative)(parser))

const secondsPerUnit: Readonly<Record<string, bigint>> = { s: 1n, m: 60n, h: 3600n, d: 86_400n, w: 604_800n }
const duration = /^([0-9]{1,12})([smhdw])$/
const isoTime = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}([.]\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** The last second of the year 9999: ISO times have four digits for the year. */
const maxSeconds = 253_402_300_799n

/** JavaScript parses 30 February as 2 March. */
const isDay = (day: string): boolean => {
  const midnight = new Date(`${day}T00:00:00Z`)
  return Number.isFinite(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

const parseSeconds = (now: U64.U64, text: string): bigint | undefined => {
  const [, count = '', unit = ''] = duration.exec(text) ?? []
  if (unit !== '') return now + BigInt(count) * (secondsPerUnit[unit] ?? 0n)
  const [, day = ''] = isoTime.exec(text) ?? []
  const milliseconds = Date.parse(text)
  return isDay(day) && Number.isFinite(milliseconds) ? BigInt(Math.floor(milliseconds / 1000)) : undefined
}

/** ISO text in UTC, in whole seconds. */
export const toIso = (seconds: U64.U64): string =>
  new Date(Number(seconds > maxSeconds ? maxSeconds : seconds) * 1000).toISOString().replace('.000Z', 'Z')

/**
 * Parses an expiry into Unix seconds: an ISO time (`2027-01-31`, `2027-01-31T12:00:00Z`) or a duration from now (`30d`). Refuses
 * the past.
 */
export const when =
  (now: U64.U64): Parser<U64.U64> =>
  (text) =>
    pipe(
      O.fromNullable(parseSeconds(now, text)),
      O.filter((seconds) => seconds <= maxSeconds),
      // Times before 1970 are in the past as well.
      O.map(U64.clamp),
      E.fromOption(() =>
        wrongUsage(
          `invalid time "${text}"`,
          'use a duration such as 12h or 30d (s, m, h, d, w), or an ISO 8601 time such as 2027-01-31 or 2027-01-31T12:00:00Z, up to the year 9999',
        ),
      ),
      E.filterOrElse(
        (seconds) => seconds > now,
        () =>
          wrongUsage(
            `"${text}" is in the past`,
            `use a future time, such as 12h, 30d or ${toIso(U64.clamp(now + 2_592_000n))}`,
          ),
      ),
    )

/** Reports whether an expiry has passed, which it has from its own second on. */
export const isPast = (now: U64.U64, expires: O.Option<U64.U64>): boolean => O.isSome(expires) && expires.value <= now

export const describeExpiry = (now: U64.U64, expires: O.Option<U64.U64>): string =>
  O.isNone(expires) ? 'never' : `${toIso(expires.value)}${isPast(now, expires) ? ' (expired)' : ''}`

/** `never expires`, or `expires` and the time. */
export const expiryClause = (now: U64.U64, expires: O.Option<U64.U64>): string =>
  O.isNone(expires) ? 'never expires' : `expires ${describeExpiry(now, expires)}`

export const expiresJson = (expires: O.Option<U64.U64>): string | null => pipe(expires, O.map(toIso), O.toNullable)
