import { memoryPorts, type World } from '@canopy/testkit'
import { startApp } from '../../../apps/server/test/startApp.js'

export interface Service {
  readonly baseUrl: string
  readonly stop: () => Promise<unknown>
}

/** The complete service in this process, over memory. */
export const serving = async (world: World): Promise<Service> => {
  const { url, stop } = await startApp(memoryPorts(world))
  return { baseUrl: url, stop }
}
