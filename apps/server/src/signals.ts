import type { Logger } from 'pino'

/** Told to leave: by a service manager, a terminal, or as nginx is. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const

/** The first signal is an order; whoever sends a second one has no more patience. */
export const onStopSignal = (log: Logger, stop: () => void): void => {
  let signals = 0
  const heard = (signal: NodeJS.Signals): void => {
    signals += 1
    log.info({ signal }, signals === 1 ? 'stopping' : 'stopping at once')
    if (signals > 1) process.exit(1)
    stop()
  }
  for (const signal of stopSignals) process.on(signal, heard)
}

/** Other servers reopen their logs or change their binary on these. Node would open its debugger to the whole machine, or end. */
export const ignoreOtherSignals = (): void => {
  process.on('SIGUSR1', () => undefined)
  process.on('SIGUSR2', () => undefined)
}

/** A terminal that goes away sends SIGHUP too, and does not mean a reload. */
export const onReloadSignal = (reload: () => void): void => {
  if (!process.stdin.isTTY) process.on('SIGHUP', reload)
}
