import { Area, Name, StoragePath, TriggerId, U64, UserId, Visibility } from '@canopy/domain'
import { causeOf, Installation } from '@canopy/installation'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isLosslessNumber, parse } from 'lossless-json'
import { type Problem, wrongUsage } from './Problem.js'

/** What an operator types, read as the values of the domain. */
type Read<A> = (text: string) => E.Either<Problem, A>

/** All arguments of a command, or what is wrong with the first that is wrong. */
export const all = flow(sequenceS(E.Apply), TE.fromEither)

export const userId: Read<UserId.UserId> = (text) =>
  pipe(
    UserId.fromDecimal(text),
    E.fromOption(() =>
      wrongUsage(`"${text}" is no account id`, `it must be a whole number from 0 to 18446744073709551615, such as 42`),
    ),
  )

/** The first slash may be left out, and one more at the end is ignored. An empty shell variable must not publish an area. */
export const path: Read<StoragePath.StoragePath> = (text) =>
  text === ''
    ? E.left(wrongUsage('the path is empty', 'write / for the root of the area'))
    : pipe(
        StoragePath.fromString(`/${text.replace(/^\//, '').replace(/(?<=[^/])\/$/, '')}`),
        E.fromOption(() =>
          wrongUsage(
            `"${text}" is no path`,
            `write it as plain text such as /photos/2026, without "//", "." and "..", each name of at most ${Name.maxBytes} bytes, ${StoragePath.maxSegments} names and ${StoragePath.maxBytes} bytes in all`,
          ),
        ),
      )

/** Node reads bytes that are not UTF-8 on a command line as U+FFFD, which may be in a name as well. */
const lost =
  'The path holds U+FFFD: if a name that is not UTF-8 was meant, this is about another one; no one can see that node.'

/** A warning, or none. */
export const lostName = (path: string): ReadonlyArray<string> => (path.includes('\uFFFD') ? [lost] : [])

export const visibility: Read<Visibility.Visibility> = E.fromPredicate(Visibility.codec.is, (text: string) =>
  wrongUsage(`"${text}" is no visibility`, `it is one of ${Visibility.all.join(', ')}`),
)

/** The text is not repeated: it may be a URL with the id of a trigger. */
export const triggerId: Read<TriggerId.TriggerId> = E.fromPredicate(TriggerId.is, () =>
  wrongUsage('what was given (not shown) is no trigger id', `1 to ${Name.maxBytes} bytes without "/", not "." or ".."`),
)

export const notEmpty = (what: string): Read<string> =>
  E.fromPredicate(
    (text) => text !== '',
    () => wrongUsage(`${what} is empty`, 'leave it out or give it a value'),
  )

/** The location of an area. As in the variables, what only a shell would understand is refused. */
export const area = (what: string): Read<Area.AreaLocation> =>
  flow(
    notEmpty(what),
    E.flatMap((text) => {
      const oddity = Installation.suspiciousPart(text)
      return oddity === undefined ? E.right(Area.location(text)) : E.left(wrongUsage(`${what} ${oddity}`))
    }),
  )

/** Each number is a `LosslessNumber`. */
export const jsonObject =
  (what: string, suggestion?: string): Read<Readonly<Record<string, unknown>>> =>
  (text) =>
    pipe(
      E.tryCatch(
        () => parse(text),
        (cause) => wrongUsage(`${what} cannot be read as JSON in which each field occurs once: ${causeOf(cause)}`),
      ),
      E.filterOrElse(
        (u): u is Readonly<Record<string, unknown>> =>
          typeof u === 'object' && u !== null && !Array.isArray(u) && !isLosslessNumber(u),
        () => wrongUsage(`${what} is no JSON object`, suggestion),
      ),
    )

/** An option that was not given is `none`. */
export const optional =
  <A>(read: Read<A>) =>
  (text: string | undefined): E.Either<Problem, O.Option<A>> =>
    pipe(O.fromNullable(text), O.traverse(E.Applicative)(read))

const secondsIn: Readonly<Record<string, bigint>> = { s: 1n, m: 60n, h: 3600n, d: 86_400n, w: 604_800n }
const span = /^([0-9]{1,12})([smhdw])$/
const isoTime = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}([.]\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** The end of the year 9999, in Unix seconds: what four digits of a year can say. */
const latest = 253_402_300_799n

/** JavaScript reads 30 February as 2 March. */
const isDay = (day: string): boolean => {
  const midnight = new Date(`${day}T00:00:00Z`)
  return Number.isFinite(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

const secondsOf = (now: U64.U64, text: string): bigint | undefined => {
  const [, count = '', unit = ''] = span.exec(text) ?? []
  if (unit !== '') return now + BigInt(count) * (secondsIn[unit] ?? 0n)
  const [, day = ''] = isoTime.exec(text) ?? []
  const milliseconds = Date.parse(text)
  return isDay(day) && Number.isFinite(milliseconds) ? BigInt(Math.floor(milliseconds / 1000)) : undefined
}

/** ISO text in UTC, in whole seconds. */
export const toIso = (seconds: U64.U64): string =>
  new Date(Number(seconds > latest ? latest : seconds) * 1000).toISOString().replace('.000Z', 'Z')

/**
 * When something ends: an ISO time (`2027-01-31`, `2027-01-31T12:00:00Z`) or a span from now (`30d`; s, m, h, d, w), in Unix
 * seconds. A time in the past is refused: what ends then is of no use.
 */
export const when =
  (now: U64.U64): Read<U64.U64> =>
  (text) =>
    pipe(
      O.fromNullable(secondsOf(now, text)),
      O.filter((seconds) => seconds <= latest),
      // Before 1970 is in the past as well.
      O.map(U64.clamp),
      E.fromOption(() =>
        wrongUsage(
          `"${text}" is not a time`,
          `give a span such as 12h or 30d (s, m, h, d, w), or an ISO time such as 2027-01-31 or 2027-01-31T12:00:00Z, until the year 9999`,
        ),
      ),
      E.filterOrElse(
        (seconds) => seconds > now,
        () =>
          wrongUsage(
            `"${text}" is over already`,
            `give a time to come, such as 12h, 30d or ${toIso(U64.clamp(now + 2_592_000n))}`,
          ),
      ),
    )

/** The named second is the first in which it is over. */
export const isPast = (now: U64.U64, expires: O.Option<U64.U64>): boolean => O.isSome(expires) && expires.value <= now

/** For people: when it is over, or that it is already. */
export const expiryOf = (now: U64.U64, expires: O.Option<U64.U64>): string =>
  O.isNone(expires) ? 'never' : `${toIso(expires.value)}${isPast(now, expires) ? ' (over)' : ''}`

export const expiresJson = (expires: O.Option<U64.U64>): string | null => pipe(expires, O.map(toIso), O.toNullable)
