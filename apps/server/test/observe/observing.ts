import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { closed, listening } from '@canopy/test-support'

type Value = { readonly stringValue?: string; readonly intValue?: number | string }
type Attributes = ReadonlyArray<{ readonly key: string; readonly value: Value }>

export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: Attributes
  readonly status: { readonly code?: number }
}

export type Collector = Awaited<ReturnType<typeof startCollector>>

export const valuesOf = (attributes: Attributes): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))

export const startCollector = async (status = 200) => {
  const bodies: Array<string> = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (request.url === '/v1/traces' && request.headers['content-type'] === 'application/json') bodies.push(body)
    response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}')
  })
  const port = await listening(server)
  const parsed = () => bodies.flatMap((body) => JSON.parse(body).resourceSpans)
  return {
    url: `http://127.0.0.1:${port}`,
    bodies: bodies as ReadonlyArray<string>,
    spans: (): ReadonlyArray<OtlpSpan> =>
      parsed().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: { spans: OtlpSpan[] }) => spans)),
    resource: () => valuesOf(parsed()[0].resource.attributes),
    stop: () => closed(server),
  }
}

/** Prometheus' text format as a map from `name{labels}` to the value. */
export const samples = (text: string): ReadonlyMap<string, number> =>
  new Map([...text.matchAll(/^([^#\n].*) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]))

/** Counts of the service that are not 0, without buckets and sums of durations. */
export const counted = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...samples(text)].filter(([name, value]) => name.startsWith('canopy_') && !/_bucket|_sum/.test(name) && value > 0),
  )

const percent = (text: string): string => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16)}`).join('')

export const spellings: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'percent-encoded': percent,
  'percent-encoded in upper case': (secret) => percent(secret).toUpperCase(),
  'encoded twice': (secret) => percent(percent(secret)),
  'percent-encoded, with a malformed escape': (secret) => `${percent(secret)}%`,
  'encoded twice in upper case': (secret) => encodeURIComponent(percent(secret).toUpperCase()),
}
