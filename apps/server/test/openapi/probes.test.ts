import { memoryPorts, type RawRequest, type RawResponse, request, sendRaw } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/http/listen.js'
import { parts, readiness } from '../../src/observe/health.js'
import { startApp } from '../startApp.js'
import { undocumented } from './documented.js'
import { exactJson } from './exactJson.js'
import { examplesIn, openApi } from './openApi.js'

const probes = ['/healthz', '/readyz']

const draining = () => {
  const ready = readiness({})
  ready.drain()
  return ready
}

const states = {
  ready: readiness({}),
  'without any part': readiness(Object.fromEntries(parts.map((part) => [part, TE.left('gone')]))),
  'without its storage': readiness({ registry: TE.right('here'), storage: TE.left('gone') }),
  draining: draining(),
}

interface Answered {
  readonly asked: RawRequest
  readonly response: RawResponse
}

const violationsIn = (answers: ReadonlyArray<Answered>): ReadonlyArray<string> =>
  answers.flatMap(({ asked, response }) => undocumented(asked, response))

const seen = (answers: ReadonlyArray<Answered>): ReadonlySet<string> =>
  new Set(answers.map(({ asked, response }) => `${asked.method} ${asked.target} ${response.status}`))

describe('the document', () => {
  const services: Array<RunningServer> = []
  const reading: Array<Answered> = []
  const malformed: Array<Answered> = []

  beforeAll(async () => {
    for (const state of Object.values(states)) {
      const service = await startApp(memoryPorts({ accounts: [], triggers: [] }), { readiness: state })
      services.push(service)
      const ask = async (asked: RawRequest): Promise<Answered> => ({
        asked,
        response: await request(service.port, asked),
      })
      for (const target of probes) {
        const asked = { method: 'GET', target }
        reading.push(await ask(asked))
        malformed.push({ asked, response: await sendRaw(service.port, `GET ${target} HTTP/9.9\r\n\r\n`) })
        malformed.push(await ask({ ...asked, headers: [['X-Large', 'x'.repeat(64 * 1024)]] }))
      }
    }
  })
  afterAll(async () => {
    await Promise.all(services.map(({ stop }) => stop()))
  })

  it('describes what each probe answers: while all is well, while parts fail, and while the server goes away', () => {
    expect(seen(reading)).toEqual(new Set(['GET /healthz 200', 'GET /readyz 200', 'GET /readyz 503']))
    expect(violationsIn(reading)).toEqual([])
  })

  it('shows answers that probes give', () => {
    const bodies = reading.map(({ response }) => exactJson(response.body.toString()))
    const shown = probes
      .flatMap((path) => Object.values(openApi.paths[path]?.get.responses ?? {}))
      .filter(({ $ref }) => $ref === undefined)
      .flatMap(examplesIn)
    expect(shown.length).toBe(4)
    for (const { value } of shown) expect(bodies).toContainEqual(value)
  })

  it('describes what probes answer to what is malformed', () => {
    expect(new Set(malformed.map(({ response }) => response.status))).toEqual(new Set([400, 431]))
    expect(violationsIn(malformed)).toEqual([])
  })

  it('promises of a probe no status that it never has, but for headers that do not come', () => {
    const all = seen([...reading, ...malformed])
    const promised = probes.flatMap((path) =>
      Object.keys(openApi.paths[path]?.get.responses ?? {}).map((status) => `GET ${path} ${status}`),
    )
    expect(promised.filter((promise) => !all.has(promise))).toEqual(probes.map((path) => `GET ${path} 408`))
  })

  it('is not content with just any answer of a probe', () => {
    const [failed] = reading.filter(({ response }) => response.body.includes('failed'))
    if (failed === undefined) throw new Error('no part failed')
    const otherwise = (body: string, status = 503) =>
      undocumented(failed.asked, { ...failed.response, status, body: Buffer.from(body) })
    expect(otherwise('{"type":"ready","status":"failed","failed":["storage"]}')).toEqual([])
    for (const body of [
      '{"type":"ready","status":"ok"}',
      '{"type":"ready","status":"failed"}',
      '{"type":"ready","status":"failed","failed":[]}',
      '{"type":"ready","status":"failed","failed":["another"]}',
      '{"type":"error","error":"overloaded"}',
    ])
      expect(otherwise(body)).toHaveLength(1)
    expect(otherwise('{"type":"ready","status":"draining"}', 200)).toHaveLength(1)
  })
})
