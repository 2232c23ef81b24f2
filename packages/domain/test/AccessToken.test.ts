import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import * as AccessToken from '../src/AccessToken.js'
import { refusal } from './refusal.js'

const letters = 'A'.repeat(42)

describe('a token is cnp_ and 32 bytes in base64url', () => {
  it('has one spelling: the last character carries no surplus bits', () => {
    const alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
    const canonical = alphabet.filter((last) => AccessToken.is(`cnp_${letters}${last}`))
    expect(canonical).toStrictEqual(alphabet.filter((_, bits) => bits % 4 === 0))
  })

  it.each([
    ['nothing', ''],
    ['the prefix alone', 'cnp_'],
    ['no prefix', `${letters}A`],
    ['something before the prefix', `xcnp_${letters}A`],
    ['another prefix', `CNP_${letters}A`],
    ['one character less', `cnp_${letters}`],
    ['one character more', `cnp_${letters}AA`],
    ['plain base64', `cnp_${letters.slice(1)}+A`],
    ['padding', `cnp_${letters}A=`],
    ['a newline at the end', `cnp_${letters}A\n`],
  ])('not: %s', (_, text) => {
    expect(AccessToken.fromString(text)).toStrictEqual(O.none)
  })
})

describe('a token is text', () => {
  it.each([[[`cnp_${letters}A`]], [1], [null], [undefined]])('not %j', (u) => {
    expect(AccessToken.is(u)).toBe(false)
  })
})

describe('a token is a secret', () => {
  it('a refused text is not repeated', () => {
    const almost = `cnp_${letters}`
    expect(refusal(AccessToken.codec, almost)).toStrictEqual(['must be "cnp_" and 43 characters of base64url'])
    expect(JSON.stringify(AccessToken.codec.decode(almost))).not.toContain(letters)
    expect(JSON.stringify(t.type({ token: AccessToken.codec }).decode({ token: almost }))).not.toContain(letters)
  })
})
