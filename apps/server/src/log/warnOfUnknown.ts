import type { Logger } from 'pino'
import type { ServerConfig } from '../ServerConfig.js'

export const warnOfUnknown = ({ unknown }: ServerConfig, log: Logger): void => {
  if (unknown.length > 0) log.warn({ variables: unknown }, 'nobody reads these variables: mistyped?')
}
