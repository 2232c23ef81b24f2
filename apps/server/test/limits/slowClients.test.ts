import { once } from 'node:events'
import { connect } from 'node:net'
import { memoryPorts, request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/http/listen.js'
import { startApp } from '../startApp.js'

describe('what Node itself refuses', () => {
  let service: RunningServer

  beforeAll(async () => {
    service = await startApp(memoryPorts({ accounts: [], triggers: [] }))
  })
  afterAll(() => service.stop())

  it('takes the longest path there is, every byte of it escaped', async () => {
    const path = Array.from({ length: 16 }, () => '%61'.repeat(255)).join('/')
    const answer = await request(service.port, { method: 'GET', target: `/api/usercontent/v1/tree/id/1/${path}` })
    expect(answer.status).toBe(403)
  })

  it('has the same envelope: headers that do not come in time are 408', async () => {
    const socket = connect(service.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
    const chunks: Array<Buffer> = []
    socket.on('data', (chunk) => chunks.push(chunk))
    await once(socket, 'close')
    const text = Buffer.concat(chunks).toString()
    expect(text).toContain('HTTP/1.1 408 Request Timeout')
    expect(text).toContain('{"type":"error","error":"bad request"}')
  })
})
