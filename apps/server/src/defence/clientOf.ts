import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import proxyAddr from 'proxy-addr'
import { type TrustedProxies, withoutPort } from './TrustedProxies.js'

/** An IPv6 host has 2^64 addresses of its own: all of them are one client. */
const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  // 8 bytes are the network of an IPv6 address, and more than all of an IPv4 address.
  return ipaddr.process(address).toByteArray().slice(0, 8).join('.')
}

/** Whom failed look-ups are counted against. */
export const clientOf = (trusted: TrustedProxies, request: IncomingMessage): string =>
  networkOf(withoutPort(proxyAddr(request, trusted)))
