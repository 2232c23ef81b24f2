import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'

export interface BaseUrlBrand {
  readonly BaseUrl: unique symbol
}

/** Where a Canopy answers: `https://host:port/prefix`, without a slash at its end. */
export type BaseUrl = string & BaseUrlBrand

const example = 'write it like https://files.example or http://127.0.0.1:8080/base'

const checked = (url: URL): E.Either<string, BaseUrl> => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return E.left(`must be http or https: ${example}`)
  if (url.username !== '' || url.password !== '') return E.left(`may not hold a user name or password: ${example}`)
  if (url.search !== '' || url.hash !== '') return E.left(`may not hold a "?" or "#": ${example}`)
  return E.right(`${url.origin}${url.pathname.replace(/\/+$/, '')}` as BaseUrl)
}

/** `left` says what is wrong and what to write, without repeating the text. */
export const fromString = (text: string): E.Either<string, BaseUrl> =>
  pipe(
    E.tryCatch(
      () => new URL(text),
      () => `must be a whole URL: ${example}`,
    ),
    E.flatMap(checked),
  )
