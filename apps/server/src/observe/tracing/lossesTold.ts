import { TraceFlags } from '@opentelemetry/api'
import type { SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-node'
import type { Logger } from 'pino'

/** The log says what is lost; the SDK itself says nothing. */
export const lossesTold = (log: Logger) => {
  let underWay = 0
  const lost = (spans: number, cause: string): void => log.warn({ spans, cause }, 'traces were not taken')

  const counting: SpanProcessor = {
    onStart: () => undefined,
    onEnd: (span) => {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0) underWay += 1
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  }

  const reporting = (exporter: SpanExporter): SpanExporter => ({
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        underWay -= spans.length
        if (result.error !== undefined) lost(spans.length, result.error.message)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  })

  const atEnd = (): void => {
    if (underWay > 0) lost(underWay, 'the server has ended')
  }

  return { counting, reporting, atEnd }
}
