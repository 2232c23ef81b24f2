import * as E from 'fp-ts/lib/Either.js'
import proxyAddr from 'proxy-addr'

/** Which addresses may say whom they ask for, by `X-Forwarded-For`. */
export type TrustedProxies = (address: string, hop: number) => boolean

export const nobody: TrustedProxies = () => false

export const wanted = 'must be addresses or ranges with commas between them, such as 127.0.0.1,10.0.0.0/8'

/** Some proxies write the port as well, and the address of IPv6 in brackets. */
export const withoutPort = (address: string): string =>
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
export const fromText = (text: string): E.Either<string, TrustedProxies> =>
  E.tryCatch(
    () => compiled(text),
    () => wanted,
  )
