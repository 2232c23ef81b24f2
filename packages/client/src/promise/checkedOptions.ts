import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { type MalformedInput, malformed } from '../MalformedInput.js'

interface Rule {
  readonly is: (given: unknown) => boolean
  readonly wanted: string
}

/** `NaN`, as a number that could not be read, is in no bounds. */
const numberIn =
  (inBounds: (n: number) => boolean) =>
  (given: unknown): boolean =>
    typeof given === 'number' && inBounds(given)

const wholeFrom = (least: number) => numberIn((n) => Number.isSafeInteger(n) && n >= least)

const isSignal = (given: unknown): boolean =>
  given === null ||
  (typeof given === 'object' &&
    'aborted' in given &&
    'addEventListener' in given &&
    typeof given.addEventListener === 'function' &&
    'removeEventListener' in given &&
    typeof given.removeEventListener === 'function')

const rules = {
  // What is wrong with it, BaseUrl says.
  baseUrl: { is: () => true, wanted: 'a whole URL' },
  timeoutMs: { is: numberIn((n) => n > 0), wanted: 'a number of milliseconds above 0' },
  retries: { is: numberIn((n) => n >= 0), wanted: 'a number of attempts from 0' },
  backOffMs: { is: numberIn((n) => n >= 0), wanted: 'a number of milliseconds from 0' },
  signal: { is: isSignal, wanted: 'the signal of an AbortController' },
  fetch: { is: (given) => typeof given === 'function', wanted: 'a function such as the fetch of Node' },
  depth: { is: wholeFrom(0), wanted: 'a whole number from 0, below 2^53' },
  limit: { is: wholeFrom(1), wanted: 'a whole number from 1, below 2^53' },
} satisfies Readonly<Record<string, Rule>>

type Name = keyof typeof rules
type Given = { readonly [Option in Name]?: unknown }

const names = Object.keys(rules) as ReadonlyArray<Name>

/** Options or bounds as they were given; `left` says of the first that is not what it must be what that is. */
export const checked = <A extends Given>(given: A): E.Either<MalformedInput, A> =>
  pipe(
    names,
    RA.findFirst((option) => given[option] !== undefined && !rules[option].is(given[option])),
    O.match(
      () => E.right(given),
      (option) => E.left(malformed(`${option} must be ${rules[option].wanted}`)),
    ),
  )

/** A getter may throw, or say something else the next time: each option is read once. */
const readOnce = <A extends Given>(given: A): A =>
  Object.fromEntries(names.map((name) => [name, given[name]] as const).filter(([, value]) => value !== undefined)) as A

/** The options of a client or of a call as they were given. Those that are left out have their defaults. */
export const checkedOptions = <A extends Given>(given: A): E.Either<MalformedInput, A> =>
  pipe(
    O.tryCatch(() => (typeof given === 'object' && given !== null ? O.some(checked(readOnce(given))) : O.none)),
    O.flatten,
    O.getOrElse(() =>
      E.left(malformed('the options must be an object, such as { baseUrl: "http://127.0.0.1:8080", timeoutMs: 5000 }')),
    ),
  )
