import { worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { type ListWhileEnv, type Ports, shareStorage } from '../../src/ports.js'
import { servedApps } from '../servedApps.js'

describe('a directory that is being read', () => {
  const served = servedApps()

  /** Each reading goes on until all who wait for it have gone. */
  const serve = async () => {
    const readings: Array<AbortSignal | undefined> = []
    const memory: Ports = memoryPorts(worldWith())
    const list: ListWhileEnv['list'] = (area, path, _parent, waiting) => {
      readings.push(waiting)
      return () =>
        new Promise((resolve) => waiting?.addEventListener('abort', () => resolve(memory.list(area, path)())))
    }
    const { port } = await served(
      { ...memory, ...shareStorage({ ...memory, list }, { ms: 0, bytes: 0 }) },
      { cacheBytes: 0 },
    )
    const ask = () => {
      const client = new AbortController()
      void fetch(`http://127.0.0.1:${port}/api/usercontent/v1/diritems/id/1`, client).catch(() => undefined)
      return client
    }
    return { ask, isGivenUp: () => readings.map((waiting) => waiting?.aborted) }
  }

  it('is given up when the last client that waits for it has gone', async () => {
    const { ask, isGivenUp } = await serve()
    const first = ask()
    await expect.poll(isGivenUp).toEqual([false])
    first.abort()
    await expect.poll(isGivenUp).toEqual([true])
    const clients = [ask(), ask(), ask()]
    await expect.poll(isGivenUp).toContain(false)
    for (const client of clients) client.abort()
    await expect.poll(isGivenUp).not.toContain(false)
  })
})
