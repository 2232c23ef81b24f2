import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { causeOf } from '@canopy/installation'
import type { RawResponse, World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { type Refusal, wrongUsage } from './Command.js'

/** What an implementation that makes its own tokens and ids has for those of the fixture: fixture's to real. */
export type Credentials = ReadonlyMap<string, string>

const none: Credentials = new Map()

const known = ({ accounts, triggers }: World): ReadonlyArray<string> => [
  ...accounts.flatMap(({ id, tokens }) => [id, ...tokens.map(({ token }) => token)]),
  ...triggers.map(({ id }) => id),
]

const whatToWrite = 'a JSON object from the tokens, user ids and trigger ids of the fixture to the real ones, as texts'

/** `left` says what is wrong. Values are not repeated. */
export const fromJson =
  (world: World) =>
  (json: string): E.Either<string, Credentials> =>
    pipe(
      E.tryCatch(
        (): unknown => JSON.parse(json),
        () => 'it is no JSON',
      ),
      E.flatMap((value) =>
        pipe(
          t.record(t.string, t.string).decode(value),
          E.mapLeft(() => 'it is something else'),
        ),
      ),
      E.flatMap((record) => {
        const strange = Object.keys(record).filter((name) => !known(world).includes(name))
        return strange.length === 0
          ? E.right(new Map(Object.entries(record)))
          : E.left(`the fixture has no ${strange.map((name) => JSON.stringify(name)).join(', ')}`)
      }),
      E.mapLeft((problem) => `${problem}: it must be ${whatToWrite}`),
    )

const route = /^(\/api\/(?:storage|usercontent)\/v1\/(?:tree|diritems)\/(?:id\/)?|\/api\/triggers\/v1\/peek\/)([^/?#]+)/

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const allEscaped = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** The target with the real credential in it; needlessly escaped where the fixture's was. */
export const realTarget = (credentials: Credentials, target: string): string =>
  target.replace(route, (whole, prefix: string, segment: string) => {
    const plain = decoded(segment)
    const real = credentials.get(plain)
    if (real === undefined) return whole
    return prefix + (segment === encodeURIComponent(plain) ? encodeURIComponent(real) : allEscaped(real))
  })

/** Below this length a credential is no secret, and may well be in an answer by chance. */
const shortestSecret = 8

/** The response with the fixture's credentials in place of the real ones, which no report may show. */
export const concealed = (credentials: Credentials, response: RawResponse): RawResponse => {
  const secrets = [...credentials].filter(([, real]) => real.length >= shortestSecret)
  const conceal = (text: string): string =>
    secrets.reduce(
      (so, [fixtures, real]) => so.replaceAll(real, fixtures).replaceAll(encodeURIComponent(real), fixtures),
      text,
    )
  return secrets.length === 0
    ? response
    : {
        ...response,
        headers: response.headers.map(([name, value]) => [name, conceal(value)]),
        body: Buffer.from(conceal(response.body.toString())),
      }
}

/** The file that was named, or the fixture's own credentials. */
export const fromFile = (cwd: string, world: World, file: string | undefined): TE.TaskEither<Refusal, Credentials> =>
  file === undefined
    ? TE.right(none)
    : pipe(
        TE.tryCatch(() => readFile(resolve(cwd, file), 'utf8'), causeOf),
        TE.flatMapEither(fromJson(world)),
        TE.mapLeft((problem) => wrongUsage(`--credentials ${file}: ${problem}`)),
      )
