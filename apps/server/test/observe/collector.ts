import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

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

export interface Collector {
  /** Its base URL, for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string
  /** Every body as it came. */
  readonly bodies: ReadonlyArray<string>
  readonly spans: () => ReadonlyArray<OtlpSpan>
  readonly resource: () => Readonly<Record<string, unknown>>
  readonly stop: () => Promise<void>
}

export const valuesOf = (attributes: Attributes): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))

/** A collector of OTLP over HTTP, on loopback. `status` is what it answers. */
export const startCollector = (status = 200): Promise<Collector> =>
  new Promise((resolve) => {
    const bodies: Array<string> = []
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        if (request.url === '/v1/traces' && request.headers['content-type'] === 'application/json')
          bodies.push(Buffer.concat(chunks).toString())
        response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}')
      })
    })
    const parsed = () => bodies.flatMap((body) => JSON.parse(body).resourceSpans)
    server.listen(0, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        bodies,
        spans: () =>
          parsed().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: { spans: OtlpSpan[] }) => spans)),
        resource: () => valuesOf(parsed()[0].resource.attributes),
        stop: () =>
          new Promise((stopped) => {
            server.close(() => stopped())
            server.closeAllConnections()
          }),
      }),
    )
  })
