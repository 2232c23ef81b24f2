import { headerOf, request } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, describe, expect, it } from 'vitest'
import { notForPages } from '../../src/http/answers.js'
import type { RunningServer } from '../../src/http/listen.js'
import { metricsServer } from '../../src/observe/metricsServer.js'

describe('the port for metrics', () => {
  const started: Array<RunningServer> = []
  afterEach(() => Promise.all(started.splice(0).map(({ stop }) => stop())))

  const serve = async (collect: () => Promise<string>) => {
    const listening = await metricsServer(collect, { host: '127.0.0.1', port: 0 })()
    if (E.isLeft(listening)) throw listening.left
    started.push(listening.right)
    return (target: string, method = 'GET') => request(listening.right.port, { method, target })
  }

  it('serves the text at /metrics as Prometheus wants it', async () => {
    const texts = ['canopy_asked 2\n', 'canopy_asked 1\n']
    const get = await serve(async () => texts.pop() ?? '')
    await get('/metrics')
    const answer = await get('/metrics')
    expect([answer.status, answer.body.toString()]).toEqual([200, 'canopy_asked 2\n'])
    expect(headerOf(answer, 'Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(headerOf(answer, 'Cache-Control')).toBe('no-store')
    expect((await get('/metrics', 'HEAD')).body.length).toBe(0)
  })

  it('has nothing else, and only reads', async () => {
    const get = await serve(async () => '')
    expect((await get('/api/triggers/v1/peek/bell')).status).toBe(404)
    expect((await get('/')).body.toString()).toBe('{"type":"error","error":"no such route"}')
    for (const odd of ['/metrics/', '/metricsx', '/METRICS']) expect((await get(odd)).status).toBe(404)
    const refused = await get('/metrics', 'POST')
    expect(refused.headers).toEqual(expect.arrayContaining(Object.entries(notForPages)))
    expect(headerOf(refused, 'Access-Control-Allow-Origin')).toBe(undefined)
    expect(headerOf(refused, 'Content-Type')).toBe('application/json; charset=utf-8')
    expect([refused.status, headerOf(refused, 'Allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('answers external, without the cause, when the metrics cannot be had', async () => {
    const get = await serve(() => Promise.reject(new Error('a worker is silent')))
    const answer = await get('/metrics')
    expect([answer.status, answer.body.toString()]).toEqual([502, '{"type":"error","error":"external"}'])
  })

  it('says why it does not start', async () => {
    const get = await serve(async () => '')
    expect((await get('/metrics')).status).toBe(200)
    const taken = await metricsServer(async () => '', { host: '127.0.0.1', port: started[0]?.port ?? 0 })()
    expect(E.isLeft(taken) && taken.left).toContain('EADDRINUSE')
  })
})
