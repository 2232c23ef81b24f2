const inUse = new Set(['EADDRINUSE', 'EACCES'])

/**
 * Why an address cannot be listened on, and the variable to change: `variables` is what the names of its two begin with.
 */
export const whyNotListening = (error: Error, variables: 'CANOPY' | 'CANOPY_METRICS'): string =>
  `${error.message}: ${
    'code' in error && typeof error.code === 'string' && inUse.has(error.code)
      ? `choose another ${variables}_PORT`
      : `${variables}_HOST must be an address of this machine`
  }`
