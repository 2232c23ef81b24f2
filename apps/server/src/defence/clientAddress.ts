import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import ipaddr from 'ipaddr.js'
import proxyAddr from 'proxy-addr'

/** Which addresses may say whom they ask for, by `X-Forwarded-For`. */
export type TrustedProxies = (address: string, hop: number) => boolean

export const nobody: TrustedProxies = () => false

export const proxiesWanted = 'must be addresses or ranges with commas between them, such as 127.0.0.1,10.0.0.0/8'

/** Some proxies write the port as well, and the address of IPv6 in brackets. */
const withoutPort = (address: string): string =>
  /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address

const compiled = (text: string): TrustedProxies => {
  const trusts = proxyAddr.compile(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  return (address, hop) => trusts(withoutPort(address), hop)
}

/** Addresses and ranges with commas between them, such as `127.0.0.1, 10.0.0.0/8`, or `loopback`; empty for none. */
export const trustedProxies = (text: string): E.Either<string, TrustedProxies> =>
  E.tryCatch(
    () => compiled(text),
    () => proxiesWanted,
  )

/** An IPv6 host has 2^64 addresses of its own: all of them are one client. */
const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  // 8 bytes are the network of an IPv6 address, and more than all of an IPv4 address.
  return ipaddr.process(address).toByteArray().slice(0, 8).join('.')
}

/** Whom failed look-ups are counted against. */
export const clientOf = (trusted: TrustedProxies, request: IncomingMessage): string =>
  networkOf(withoutPort(proxyAddr(request, trusted)))
