import { collectDefaultMetrics, type Registry } from 'prom-client'

/** Memory, CPU, garbage collection, file descriptors and the delay of the event loop. Once for each process: it cannot be undone. */
export const processMetrics = (registry: Registry): void => collectDefaultMetrics({ register: registry })
