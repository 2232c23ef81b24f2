import { memoryPorts } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { openTo } from '../http/connecting.js'
import { later, observedApps } from '../inProcess.js'

describe('a service with requests in work', () => {
  const served = observedApps()

  const peek = '/api/triggers/v1/peek/bell'

  /** Each look-up of a trigger ends when a test says so. One is in work. */
  const serve = async (maxAdmitted = 100) => {
    const memory = memoryPorts({ accounts: [], triggers: [{ id: 'bell', value: '{"type":"bell"}', state: 'valid' }] })
    const lookups: Array<() => void> = []
    const triggerOf: typeof memory.triggerOf = (id) => async () => {
      const { value, give } = later()
      lookups.push(give)
      await value
      return memory.triggerOf(id)()
    }
    const service = await served({ ...memory, triggerOf }, { cacheBytes: 0, maxAdmitted })
    const client = new AbortController()
    const first = fetch(`${service.url}${peek}`, client)
    const leave = async () => {
      client.abort()
      await first.catch(() => undefined)
    }
    await expect.poll(() => lookups.length).toBe(1)
    return { ...service, leave, lookups }
  }

  it('counts the work of a client that has left until it ends', async () => {
    const { ask, leave, lookups } = await serve(1)
    await leave()
    const status = async () => (await ask('/nowhere')).status
    expect(await status()).toBe(503)
    lookups[0]?.()
    await expect.poll(status).toBe(404)
  })

  const pipeline = (port: number, ...targets: ReadonlyArray<string>) => {
    const client = openTo(port)
    client.socket.write(targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
    return client
  }

  it('refuses pipelined requests beyond the bound, like any other', async () => {
    const { port, lookups, metrics } = await serve(3)
    const { heard } = pipeline(port, ...Array<string>(4).fill(peek))
    await expect.poll(() => lookups.length).toBe(3)
    expect(await metrics()).toContain('canopy_requests_admitted 3')
    for (const end of lookups) end()
    await expect.poll(() => heard().match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['200', '200', '503', '503'])
    await expect.poll(metrics).toContain('canopy_requests_admitted 0')
  })

  it('logs and counts each pipelined request of a client that has left', async () => {
    const { port, leave, lookups, lines, metrics } = await serve()
    const { socket } = pipeline(port, peek, peek, '/nowhere')
    await expect.poll(() => lookups.length).toBe(3)
    socket.destroy()
    await expect.poll(() => lines.length).toBe(3)
    for (const line of lines) expect(line).toMatchObject({ msg: 'request', aborted: true })
    await leave()
    await expect.poll(metrics).toContain('canopy_requests_in_flight 0')
    expect(await metrics()).toContain('canopy_requests_aborted_total{operation="triggerPeek"} 3')
    for (const end of lookups) end()
  })
})
