import { baseUrlFromString, baseUrlOfPort } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { again } from '../../src/Asking.js'

const service = E.getOrElse(() => baseUrlOfPort(1))(baseUrlFromString('https://example.org:8443/base/'))

describe('a request can be asked again', () => {
  it.each([
    [{ method: 'GET', target: '/a/../b' }, 'curl -si --request-target /base/a/../b https://example.org:8443'],
    [
      { method: 'GET', target: "/it's?a=b&c" },
      `curl -si --request-target '/base/it'\\''s?a=b&c' https://example.org:8443`,
    ],
    [
      { method: 'GET', target: '/a\u001b\u202eb' },
      `curl -si --request-target $'/base/a\\u001b\\u202eb' https://example.org:8443`,
    ],
    [{ method: 'HEAD', target: '/a' }, 'curl -si -I --request-target /base/a https://example.org:8443'],
    [{ method: 'OPTIONS', target: '*' }, "curl -si -X OPTIONS --request-target '*' https://example.org:8443"],
    [
      { method: 'GET', target: '/a', headers: [] },
      'curl -si -H Host: --request-target /base/a https://example.org:8443',
    ],
    [
      {
        method: 'GET',
        target: '/a',
        headers: [
          ['Host', 'localhost'],
          ['If-None-Match', '"x"'],
        ] as const,
      },
      `curl -si -H 'If-None-Match: "x"' --request-target /base/a https://example.org:8443`,
    ],
  ])('%o', (request, command) => {
    expect(again(service, request)).toBe(command)
  })
})
