import { U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Problem, wrongUsage } from './Problem.js'

const secondsIn: Readonly<Record<string, bigint>> = { s: 1n, m: 60n, h: 3600n, d: 86_400n, w: 604_800n }

/** The end of the year 9999, in Unix seconds: what four digits of a year can say. */
const latest = 253_402_300_799n

const fromSpan =
  (now: U64.U64) =>
  (text: string): O.Option<bigint> =>
    pipe(
      O.fromNullable(/^([0-9]{1,12})([smhdw])$/.exec(text)),
      O.map(([, count = '', unit = '']) => now + BigInt(count) * (secondsIn[unit] ?? 0n)),
    )

const day = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
const isoTime = new RegExp(`^(${day})(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$`)

/** JavaScript reads 30 February as 2 March. */
const isDay = (text: string): boolean => {
  const midnight = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text)
}

const fromIso = (text: string): O.Option<bigint> =>
  pipe(
    O.fromNullable(isoTime.exec(text)),
    O.filter(([, date = '']) => isDay(date)),
    O.map(() => Date.parse(text)),
    O.filter(Number.isFinite),
    O.map((milliseconds) => BigInt(Math.floor(milliseconds / 1000))),
  )

const asSeconds =
  (now: U64.U64) =>
  (text: string): E.Either<Problem, U64.U64> =>
    pipe(
      fromSpan(now)(text),
      O.alt(() => fromIso(text)),
      O.filter((seconds) => seconds <= latest),
      // Before 1970 is over as well.
      O.map(U64.clamp),
      E.fromOption(() =>
        wrongUsage(
          `"${text}" is not a time: give a span such as 12h or 30d (s, m, h, d, w), or an ISO time such as 2027-01-31 or 2027-01-31T12:00:00Z, until the year 9999`,
        ),
      ),
    )

/**
 * When something ends: an ISO time (`2027-01-31`, `2027-01-31T12:00:00Z`) or a span from now (`30d`; s, m, h, d, w), in Unix
 * seconds. What would be over already is refused: nobody could use it.
 */
export const parse =
  (now: U64.U64) =>
  (text: string): E.Either<Problem, U64.U64> =>
    pipe(
      asSeconds(now)(text),
      E.filterOrElse(
        (seconds) => seconds > now,
        () =>
          wrongUsage(
            `"${text}" is over already: give a time to come, such as 12h, 30d or ${toIso(U64.clamp(now + 2_592_000n))}`,
          ),
      ),
    )

/** ISO text in UTC, in whole seconds. */
export const toIso = (seconds: U64.U64): string =>
  new Date(Number(seconds > latest ? latest : seconds) * 1000).toISOString().replace('.000Z', 'Z')

/** The second named is the first in which it is over. */
export const isPast =
  (now: U64.U64) =>
  (expires: O.Option<U64.U64>): boolean =>
    pipe(
      expires,
      O.exists((seconds) => seconds <= now),
    )

/** For people: when it is over, or that it is already. */
export const expiryOf = (expires: O.Option<U64.U64>, now: U64.U64): string =>
  pipe(
    expires,
    O.match(
      () => 'never',
      (seconds) => `${toIso(seconds)}${isPast(now)(expires) ? ' (over)' : ''}`,
    ),
  )
