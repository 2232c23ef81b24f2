import { memoryPorts, type World } from '@canopy/testkit'
import { startApp } from '../../../apps/server/test/startApp.js'
import { type BaseUrl, Input } from '../src/index.js'
import { right } from './right.js'

export interface Service {
  readonly baseUrl: BaseUrl
  readonly stop: () => Promise<void>
}

/** The whole service in this process, over memory. */
export const serving = async (world: World, options: { readonly treeNodes?: number } = {}): Promise<Service> => {
  const { url, stop } = await startApp(memoryPorts(world), options)
  return {
    baseUrl: right(Input.baseUrl(url)),
    stop: async () => {
      await stop()
    },
  }
}
