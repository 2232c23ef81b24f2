import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { fromHeader } from '../../src/http/Traceparent.js'

describe('a traceparent', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const spanId = '00f067aa0ba902b7'

  it.each([
    [`00-${traceId}-${spanId}-01`, 1],
    [`00-${traceId}-${spanId}-00`, 0],
    [`01-${traceId}-${spanId}-03`, 3],
    [`01-${traceId}-${spanId}-01-more-to-come`, 1],
    ['', undefined],
    [`00-${traceId}-${spanId}`, undefined],
    [`00-${traceId}-${spanId}-01-more`, undefined],
    [`01-${traceId}-${spanId}-01more`, undefined],
    [`ff-${traceId}-${spanId}-01`, undefined],
    [`00-${'0'.repeat(32)}-${spanId}-01`, undefined],
    [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
    [` 00-${traceId}-${spanId}-01`, undefined],
    [`00-${traceId}-${spanId}-01\n`, undefined],
  ])('"%s" says the flags %s', (header, traceFlags) => {
    expect(fromHeader(header)).toEqual(traceFlags === undefined ? O.none : O.some({ traceId, spanId, traceFlags }))
  })
})
