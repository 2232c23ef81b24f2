/** What is wrong with the port. */
const ofPort = new Set(['EADDRINUSE', 'EACCES'])
/** What is wrong with the host. */
const ofHost = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'])

/** The variables that say where to listen. */
export interface Said {
  readonly host: string
  readonly port: string
}

export const saidForAll: Said = { host: 'CANOPY_HOST', port: 'CANOPY_PORT' }
export const saidForMetrics: Said = { host: 'CANOPY_METRICS_HOST', port: 'CANOPY_METRICS_PORT' }

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

const wayOut = (code: string, { host, port }: Said): string =>
  ofPort.has(code) ? `: choose another ${port}` : ofHost.has(code) ? `: ${host} must be an address of this machine` : ''

/** Why an address cannot be listened on, and the variable to change. */
export const whyNotListening = (error: Error, said: Said): string => `${error.message}${wayOut(codeOf(error), said)}`
