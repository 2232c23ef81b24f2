import { Name, StoragePath, TriggerId, UserId, Visibility } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Problem, wrongUsage } from './Problem.js'

/** What an operator types, read as the values of the domain. */
type Read<A> = (text: string) => E.Either<Problem, A>

export const userId: Read<UserId.UserId> = (text) =>
  pipe(
    UserId.fromDecimal(text),
    E.fromOption(() =>
      wrongUsage(`"${text}" is no account id: it must be a whole number from 0 to 18446744073709551615, such as 42`),
    ),
  )

// A slash in front may be left out, one behind may be there. Nothing at all is refused: an empty shell variable
// must not publish a whole area.
const spelledOut = (text: string): string => `/${text.replace(/^\//, '').replace(/(?<=[^/])\/$/, '')}`

export const path: Read<StoragePath.StoragePath> = (text) =>
  pipe(
    text === '' ? O.none : StoragePath.fromString(spelledOut(text)),
    E.fromOption(() =>
      wrongUsage(
        text === ''
          ? 'the path is empty: write / for the root of the area'
          : `"${text}" is no path: write it as plain text such as /photos/2026, without "//", "." and "..", each name of at most ${Name.maxBytes} bytes, ${StoragePath.maxSegments} names and ${StoragePath.maxBytes} bytes in all`,
      ),
    ),
  )

export const visibility: Read<Visibility.Visibility> = (text) =>
  Visibility.codec.is(text)
    ? E.right(text)
    : E.left(wrongUsage(`"${text}" is no visibility: it is one of ${Visibility.all.join(', ')}`))

export const triggerId: Read<TriggerId.TriggerId> = (text) =>
  TriggerId.is(text)
    ? E.right(text)
    : E.left(
        wrongUsage(
          `what was given (not shown) is no trigger id: 1 to ${Name.maxBytes} bytes without "/", not "." or ".."`,
        ),
      )

/** An option that was not given is `none`. */
export const optional =
  <A>(read: Read<A>) =>
  (text: string | undefined): E.Either<Problem, O.Option<A>> =>
    text === undefined ? E.right(O.none) : pipe(read(text), E.map(O.some))

export const notEmpty =
  (what: string): Read<string> =>
  (text) =>
    text === '' ? E.left(wrongUsage(`${what} is empty: leave it out or give it a value`)) : E.right(text)
