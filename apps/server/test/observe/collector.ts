import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Value = { readonly stringValue?: string; readonly intValue?: number | string }
type Attributes = ReadonlyArray<{ readonly key: string; readonly value: Value }>

/** A span as OTLP's JSON has it. */
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

/** A collector of OTLP over HTTP, on loopback. `status` is what it answers. */
export const startCollector = async (status = 200) => {
  /** Every body as it came. */
  const bodies: Array<string> = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (request.url === '/v1/traces' && request.headers['content-type'] === 'application/json') bodies.push(body)
    response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const parsed = () => bodies.flatMap((body) => JSON.parse(body).resourceSpans)
  return {
    /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies: bodies as ReadonlyArray<string>,
    spans: (): ReadonlyArray<OtlpSpan> =>
      parsed().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: { spans: OtlpSpan[] }) => spans)),
    resource: () => valuesOf(parsed()[0].resource.attributes),
    stop: async (): Promise<void> => {
      server.close()
      server.closeAllConnections()
    },
  }
}
