import { BaseUrl, type RawRequest } from '@canopy/testkit'

/** Text as a shell reads it back. */
const word = (text: string): string =>
  /^[A-Za-z0-9_./,:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

const headerWords = (headers: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => [
  ...(headers.some(([name]) => name === 'Host') ? [] : ['-H', word('Host:')]),
  ...headers
    .filter(([name, value]) => name !== 'Host' || value !== 'localhost')
    .flatMap(([name, value]) => ['-H', word(`${name}: ${value}`)]),
]

/** The request as a command to paste, its target as raw as it was sent. */
export const again = (service: BaseUrl.BaseUrl, { method, target, headers }: RawRequest): string =>
  [
    'curl',
    '-si',
    ...(method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : ['-X', word(method)]),
    ...(headers === undefined ? [] : headerWords(headers)),
    '--request-target',
    word(BaseUrl.targetBehind(service, target)),
    word(BaseUrl.origin(service)),
  ].join(' ')
