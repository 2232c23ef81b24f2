import type { Page, Tree } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { type BadRequest, malformed, type QueryParameter } from './Refusal.js'

type Parsed<A> = E.Either<BadRequest, A>

/** As forms and URLSearchParams write it: `+` is a space. Strict: a malformed escape is an error. */
const decode = (raw: string): O.Option<string> => O.tryCatch(() => decodeURIComponent(raw.replaceAll('+', ' ')))

const ofEscape = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

/** Whether this is the name, in any spelling. Throws nothing, as decoding would: a query may hold thousands of odd names. */
const spells =
  (name: string) =>
  (raw: string): boolean =>
    raw === name || (raw.length <= 3 * name.length && raw.replace(/%([0-9a-f]{2})/gi, ofEscape) === name)

/** The one value of a parameter; `bad request` when it is given twice or its escapes are malformed. */
const parameter =
  (name: QueryParameter) =>
  (query: string): Parsed<O.Option<string>> => {
    const values = query
      .split('&')
      .map((pair) => pair.split('='))
      .filter(([key = '']) => spells(name)(key))
      .map(([, ...value]) => value.join('='))
    return values.length > 1
      ? E.left(malformed(name))
      : pipe(
          RA.head(values),
          O.match(
            () => E.right(O.none),
            (raw) =>
              pipe(
                decode(raw),
                E.fromOption(() => malformed(name)),
                E.map(O.some),
              ),
          ),
        )
  }

/** The one value, a whole number. */
const numberParameter = (name: QueryParameter, least: number) => {
  const wholeNumber = (digits: string): Parsed<number> =>
    /^(0|[1-9][0-9]*)$/.test(digits) && Number(digits) >= least ? E.right(Number(digits)) : E.left(malformed(name))
  return (query: string): Parsed<O.Option<number>> =>
    pipe(query, parameter(name), E.flatMap(O.traverse(E.Applicative)(wholeNumber)))
}

/** `depth`: levels of children, from 0. */
export const treeBounds =
  (nodes: number) =>
  (query: string): Parsed<Tree.Bounds> =>
    pipe(
      query,
      numberParameter('depth', 0),
      E.map((depth) => ({ depth, nodes })),
    )

/** `limit`: items, from 1; `after`: a name. */
export const page = (query: string): Parsed<Page> =>
  pipe(
    E.Do,
    E.bind('limit', () => numberParameter('limit', 1)(query)),
    E.bind('after', () => parameter('after')(query)),
  )
