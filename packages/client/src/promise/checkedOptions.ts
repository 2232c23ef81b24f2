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

const isSignal = (given: unknown): boolean =>
  given === null || (typeof given === 'object' && given !== null && 'aborted' in given && 'addEventListener' in given)

const rules = {
  timeoutMs: { is: numberIn((n) => n > 0), wanted: 'a number of milliseconds above 0' },
  retries: { is: numberIn((n) => n >= 0), wanted: 'a number of attempts from 0' },
  backOffMs: { is: numberIn((n) => n >= 0), wanted: 'a number of milliseconds from 0' },
  signal: { is: isSignal, wanted: 'the signal of an AbortController' },
  fetch: { is: (given) => typeof given === 'function', wanted: 'a function such as the fetch of Node' },
} satisfies Readonly<Record<string, Rule>>

const options = ['timeoutMs', 'retries', 'backOffMs', 'signal', 'fetch'] as const

type Given = { readonly [Option in keyof typeof rules]?: unknown }

const firstMalformed = <A extends Given>(given: A): E.Either<MalformedInput, A> =>
  pipe(
    options,
    RA.findFirst((option) => given[option] !== undefined && !rules[option].is(given[option])),
    O.match(
      () => E.right(given),
      (option) => E.left(malformed(`${option} must be ${rules[option].wanted}`)),
    ),
  )

/** The options of a client or of a call as they were given. Those that are left out have their defaults. */
export const checkedOptions = <A extends Given>(given: A): E.Either<MalformedInput, A> =>
  typeof given !== 'object' || given === null
    ? E.left(malformed('the options must be an object, such as { baseUrl: "http://127.0.0.1:8080", timeoutMs: 5000 }'))
    : firstMalformed(given)
