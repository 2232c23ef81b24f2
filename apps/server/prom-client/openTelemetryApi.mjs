/** What prom-client asks OpenTelemetry for its exemplars, which we do not use: there is never a span. */
export const context = { active: () => undefined }
export const trace = { getSpan: () => undefined }
