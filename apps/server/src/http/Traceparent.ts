import * as O from 'fp-ts/lib/Option.js'

/** The span of the caller, from a W3C `traceparent` header. */
export interface Traceparent {
  readonly traceId: string
  readonly spanId: string
  /** Bit 0: the caller records the trace. */
  readonly traceFlags: number
}

const fields = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const isZero = (digits: string): boolean => /^0+$/.test(digits)

/** Parses a header; `none` if it is malformed. Versions after 00 may have more fields, which are ignored. */
export const fromHeader = (header: string): O.Option<Traceparent> => {
  const [, version = 'ff', traceId = '', spanId = '', flags = '', more] = fields.exec(header) ?? []
  const isLegal = version !== 'ff' && (version !== '00' || more === undefined) && !isZero(traceId) && !isZero(spanId)
  return isLegal ? O.some({ traceId, spanId, traceFlags: Number.parseInt(flags, 16) }) : O.none
}
