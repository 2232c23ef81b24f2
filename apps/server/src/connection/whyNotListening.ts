const inUse = new Set(['EADDRINUSE', 'EACCES'])

/** The variables that say where to listen. */
export interface Said {
  readonly host: string
  readonly port: string
}

export const saidForAll: Said = { host: 'CANOPY_HOST', port: 'CANOPY_PORT' }
export const saidForMetrics: Said = { host: 'CANOPY_METRICS_HOST', port: 'CANOPY_METRICS_PORT' }

/** Why an address cannot be listened on, and the variable to change. */
export const whyNotListening = (error: Error, { host, port }: Said): string =>
  `${error.message}: ${
    'code' in error && typeof error.code === 'string' && inUse.has(error.code)
      ? `choose another ${port}`
      : `${host} must be an address of this machine`
  }`
