import { afterEach } from 'vitest'
import type { RunningServer } from '../src/http/listen.js'
import { startApp } from './startApp.js'

/** Starts the service as often as a test asks for it. All are stopped after each test. */
export const servedApps = () => {
  const started: Array<RunningServer> = []
  afterEach(() => Promise.all(started.splice(0).map(({ stop }) => stop())))
  return async (...parameters: Parameters<typeof startApp>): Promise<RunningServer> => {
    const service = await startApp(...parameters)
    started.push(service)
    return service
  }
}
