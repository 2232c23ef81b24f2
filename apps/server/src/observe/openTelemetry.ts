import type { Failure } from '@canopy/domain'
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Logger } from 'pino'
import type { Traceparent } from '../http/Traceparent.js'
import type { RequestEnd } from './prometheus.js'

// Loaded only if tracing is configured, because no other file of the server imports OpenTelemetry.

/** A tree of a million directories must not make a million spans. */
const maxPortSpans = 128

/** Below `closeMs` of start.ts, so that lost spans are still logged. */
const stopMs = 1_000

/** Starts the span of a port call, a child of the request's span. Call the returned function with the result of the port. */
export type StartCall = (port: string) => ((result: E.Either<Failure.Failure, unknown>) => void) | undefined

const startCall = (tracer: Tracer, parent: Span): StartCall => {
  const context = trace.setSpan(ROOT_CONTEXT, parent)
  let spans = 0
  return (port) => {
    spans += 1
    if (spans > maxPortSpans) return undefined
    const span = tracer.startSpan(port, {}, context)
    return (result) => {
      if (E.isLeft(result)) span.setAttribute('canopy.failure', result.left.error)
      if (E.isLeft(result) && result.left.error === 'external') span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    }
  }
}

const endRequest =
  (span: Span) =>
  ({ operation, status, failure }: RequestEnd): void => {
    span.updateName(operation)
    span.setAttribute('canopy.operation', operation)
    if (status !== 'none') span.setAttribute('http.response.status_code', status)
    if (failure !== 'none') span.setAttribute('canopy.failure', failure)
    if ((status !== 'none' && status >= 500) || failure === 'external') span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }

/** Logs lost spans, which the SDK drops silently. */
const reportLosses = (exporter: SpanExporter, log: Logger) => {
  let underWay = 0
  const lost = (spans: number, cause: string): void => log.warn({ spans, cause }, 'spans lost')
  const counting: SpanProcessor = {
    onStart: () => undefined,
    onEnd: () => {
      underWay += 1
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  }
  const reporting: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        underWay -= spans.length
        if (result.error !== undefined) lost(spans.length, result.error.message)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
  return {
    processors: [counting, new BatchSpanProcessor(reporting)],
    atEnd: () => underWay > 0 && lost(underWay, 'the server stopped'),
  }
}

/** Sends spans by OTLP over HTTP. Without global state, because contexts are passed and never looked up. */
export const openTelemetry = (url: string, log: Logger) => {
  const { processors, atEnd } = reportLosses(new OTLPTraceExporter({ url }), log)
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'canopy' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: processors,
  })
  const tracer = provider.getTracer('canopy')
  return {
    /**
     * Makes a request a span, in the trace of its caller if that has one. `recorded` is `undefined` when the caller, or
     * the sampler, wants no record of this trace.
     */
    begin: (method = '', caller: O.Option<Traceparent> = O.none) => {
      const attributes = { 'http.request.method': method }
      const parent = O.isSome(caller)
        ? trace.setSpanContext(ROOT_CONTEXT, { ...caller.value, isRemote: true })
        : ROOT_CONTEXT
      const span = tracer.startSpan('none', { kind: SpanKind.SERVER, attributes }, parent)
      return {
        recorded: span.isRecording()
          ? { traceId: span.spanContext().traceId, startCall: startCall(tracer, span) }
          : undefined,
        end: endRequest(span),
      }
    },
    /** Sends the remaining spans, for one second at most. */
    stop: async (): Promise<void> => {
      const late = new Promise((resolve) => setTimeout(resolve, stopMs).unref())
      await Promise.race([late, provider.shutdown().catch(() => undefined)])
      atEnd()
    },
  }
}

export type Tracing = ReturnType<typeof openTelemetry>
