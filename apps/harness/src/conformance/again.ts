import { shellWord } from '@canopy/installation'
import { BaseUrl, type RawRequest } from '@canopy/testkit'

const headerWords = (headers: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => [
  ...(headers.some(([name]) => name === 'Host') ? [] : ['-H', shellWord('Host:')]),
  ...headers
    .filter(([name, value]) => name !== 'Host' || value !== 'localhost')
    .flatMap(([name, value]) => ['-H', shellWord(`${name}: ${value}`)]),
]

/** The request as a command to paste, its target as raw as it was sent. */
export const again = (service: BaseUrl.BaseUrl, { method, target, headers }: RawRequest): string =>
  [
    'curl',
    '-si',
    ...(method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : ['-X', shellWord(method)]),
    ...(headers === undefined ? [] : headerWords(headers)),
    '--request-target',
    shellWord(BaseUrl.targetBehind(service, target)),
    shellWord(BaseUrl.origin(service)),
  ].join(' ')
