import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { clientOf, noProxies, type TrustedProxies, trustedProxies } from '../../src/limits/failedLookups.js'

const requestFrom = (remoteAddress: string | undefined, forwardedFor?: string): IncomingMessage => {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return Object.assign(new IncomingMessage(socket), { headers })
}

const trusting = (text: string) =>
  E.getOrElse((message: string): TrustedProxies => expect.fail(message))(trustedProxies(text))

const clientBehind = (proxies: string, remoteAddress: string, forwardedFor: string) =>
  clientOf(trusting(proxies), requestFrom(remoteAddress, forwardedFor))

describe('whom failed look-ups are counted against', () => {
  it('is the address of the connection when no proxy is trusted', () => {
    expect(clientOf(noProxies, requestFrom('127.0.0.1', '192.0.2.1'))).toBe('127.0.0.1')
    expect(clientBehind('', '127.0.0.1', '192.0.2.1')).toBe('127.0.0.1')
  })

  it('trusts no proxy by default', () => {
    expect(noProxies('127.0.0.1', 0)).toBe(false)
  })

  it('is whom a trusted proxy asks for', () => {
    expect(clientBehind('127.0.0.1', '127.0.0.1', '192.0.2.1')).toBe('192.0.2.1')
    expect(clientBehind('10.0.0.0/8', '10.1.2.3', '192.0.2.1')).toBe('192.0.2.1')
    expect(clientBehind('loopback', '127.0.0.2', '192.0.2.1')).toBe('192.0.2.1')
  })

  it('is not whom anyone else asks for', () => {
    expect(clientBehind('127.0.0.1', '192.0.2.9', '192.0.2.1')).toBe('192.0.2.9')
    expect(clientBehind('127.0.0.1', '127.0.0.1', '192.0.2.1, 192.0.2.2')).toBe('192.0.2.2')
  })

  it('proxies stand with commas between them, with spaces or without', () => {
    expect(clientBehind('10.0.0.1 , ::1', '::1', '192.0.2.1, 10.0.0.1')).toBe('192.0.2.1')
    expect(clientBehind('10.0.0.1,,::1,', '::1', '192.0.2.1, 10.0.0.1')).toBe('192.0.2.1')
  })

  it.each(['', '127.0.0.1', '10.0.0.0/8, ::1', 'loopback', 'uniquelocal'])('proxies may be "%s"', (text) => {
    expect(E.isRight(trustedProxies(text))).toBe(true)
  })

  it.each(['proxy.example', '10.0.0.0/99', '1.2.3', '10.0.0.1 ::1'])('proxies are not "%s"', (text) => {
    expect(trustedProxies(text)).toStrictEqual(
      E.left(
        'must be addresses or ranges with commas between them, such as 127.0.0.1,10.0.0.0/8; or unix, for a proxy at a unix socket',
      ),
    )
  })

  it('is whom the proxy at a unix socket asks for, where that is trusted, and else all who come there', () => {
    const atSocket = (proxies: string) => clientOf(trusting(proxies), requestFrom(undefined, '192.0.2.1, 10.0.0.1'))
    expect(atSocket('unix')).toBe('10.0.0.1')
    expect(atSocket('10.0.0.0/8 , unix')).toBe('192.0.2.1')
    expect([atSocket(''), atSocket('10.0.0.0/8')]).toEqual(['unix', 'unix'])
    expect(clientBehind('unix', '127.0.0.1', '192.0.2.1')).toBe('127.0.0.1')
  })

  it.each([
    ['9.9.9.9', '9.9.9.9:1234'],
    ['2001:db8::1', '[2001:db8::1]'],
    ['2001:db8::1', '[2001:db8::2]:443'],
  ])('%s is the same client when a proxy says %s', (address, said) => {
    const client = (forwardedFor: string) => clientOf(trusting('127.0.0.1'), requestFrom('127.0.0.1', forwardedFor))
    expect(client(said)).toBe(client(address))
  })

  it.each(['x192.0.2.1:80', '192.0.2.1:80x', 'x[2001:db8::1]:80', '[2001:db8::1]:80x'])(
    'is what a trusted proxy says, whole, where that is an address and more: %s',
    (said) => {
      expect(clientBehind('127.0.0.1', '127.0.0.1', said)).toBe(said)
    },
  )

  it('is behind every trusted proxy, also where they write ports', () => {
    const proxies = '127.0.0.1, 10.0.0.0/8, 2001:db8:1::/48'
    expect(clientBehind(proxies, '127.0.0.1', '203.0.113.5:40000, 10.0.0.2:5555')).toBe('203.0.113.5')
    expect(clientBehind(proxies, '127.0.0.1', '203.0.113.5, [2001:db8:1::2]:5555')).toBe('203.0.113.5')
  })

  it('an IPv4 address is one client, also when it is written as IPv6', () => {
    expect(clientOf(noProxies, requestFrom('192.0.2.1'))).toBe('192.0.2.1')
    expect(clientOf(noProxies, requestFrom('::ffff:192.0.2.1'))).toBe('192.0.2.1')
    expect(clientOf(noProxies, requestFrom('192.0.2.2'))).toBe('192.0.2.2')
  })

  it('an IPv6 network of 64 bits is one client', () => {
    const client = clientOf(noProxies, requestFrom('2001:db8:0:10b::1'))
    expect(clientOf(noProxies, requestFrom('2001:db8:0:10b:ffff::2'))).toBe(client)
    expect(clientOf(noProxies, requestFrom('2001:db8:0:10c::1'))).not.toBe(client)
    expect(clientOf(noProxies, requestFrom('2001:db8:0:b01::1'))).not.toBe(client)
  })

  it('what is no address is a client of its own', () => {
    expect(clientBehind('loopback', '127.0.0.1', 'unknown')).toBe('unknown')
  })
})
