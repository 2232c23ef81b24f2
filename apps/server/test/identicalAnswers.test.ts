import { memoryPorts, request, scenarios } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Listening } from '../src/connection/listen.js'
import { startApp } from './startApp.js'

const world = scenarios[0]?.world ?? { accounts: [], triggers: [] }
const token = (letter: string): string => `cnp_${letter.repeat(42)}A`

describe('answers that must not be told apart', () => {
  let service: Listening

  beforeAll(async () => {
    service = await startApp(memoryPorts(world))
  })
  afterAll(() => service.stop())

  /** Status, every header and the body as bytes; only the time of day is left out, and the request id is ours. */
  const bytesOf = async (target: string): Promise<string> => {
    const { status, headers, body } = await request(service.port, {
      method: 'GET',
      target,
      headers: [
        ['Host', 'localhost'],
        ['X-Request-Id', 'the-same-for-all'],
      ],
    })
    return JSON.stringify([status, headers.filter(([name]) => name !== 'Date'), body.toString('hex')])
  }

  const same = [
    [
      'unknown, malformed, expired and revoked tokens',
      [token('z'), 'cnp_x', '%zz', token('c'), token('d')].map((credential) => `/api/storage/v1/tree/${credential}/a`),
    ],
    [
      'unknown, unverified, private and malformed users',
      ['77', '3', '2', '01', 'x', '%zz'].map((id) => `/api/usercontent/v1/tree/id/${id}`),
    ],
    [
      'existing and missing names below a private directory',
      ['', '/diary.txt', '/nothing', '/diary.txt/below', '/whispered2'].map(
        (path) => `/api/usercontent/v1/diritems/id/1/private${path}`,
      ),
    ],
    [
      'existing and missing names outside the scope of a token',
      ['/readme.txt', '/nothing', '/photos2', '/readme.txt/below'].map(
        (path) => `/api/storage/v1/tree/${token('b')}${path}`,
      ),
    ],
    [
      'unknown, malformed, expired and deleted triggers',
      ['nobody', '%ff', 'expired', 'deleted', '..'].map((id) => `/api/triggers/v1/peek/${id}`),
    ],
  ] as const

  it.each(same)('%s are answered byte for byte alike, headers included', async (_, targets) => {
    const answers = await Promise.all(targets.map(bytesOf))
    expect(new Set(answers).size).toBe(1)
  })

  it('different refusals do differ, so the comparison can fail', async () => {
    const answers = await Promise.all([bytesOf(same[0][1][0] ?? ''), bytesOf(same[1][1][0] ?? '')])
    expect(new Set(answers).size).toBe(2)
  })
})
