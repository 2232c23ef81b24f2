import { memoryPorts, type World } from '@canopy/testkit'
import { startApp } from '../../../apps/server/test/startApp.js'

export interface Service {
  readonly baseUrl: string
  readonly stop: () => Promise<void>
}

/** The complete service in this process, over memory. */
export const serving = async (world: World, options: { readonly treeNodes?: number } = {}): Promise<Service> => {
  const { url, stop } = await startApp(memoryPorts(world), options)
  return {
    baseUrl: url,
    stop: async () => {
      await stop()
    },
  }
}
