import { headerOf, memoryPorts, request } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { logged } from '../logs.js'
import { servedApps } from '../servedApps.js'
import { spellings } from './spellings.js'

const own = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const token = `cnp_${'a'.repeat(42)}A`

describe('the identity of a request', () => {
  const served = servedApps()

  const ask = async (headers: ReadonlyArray<readonly [string, string]>, target = '/') => {
    const { lines, log } = logged()
    const service = await served(memoryPorts({ accounts: [], triggers: [] }), { log })
    const answer = await request(service.port, { method: 'GET', target, headers: [['Host', 'x'], ...headers] })
    await service.stop()
    return { id: headerOf(answer, 'X-Request-Id'), line: lines[0] ?? {}, log: JSON.stringify(lines) }
  }

  it('is taken from the caller, sent back and logged', async () => {
    const { id, line } = await ask([['X-Request-Id', '0192f0a4-5d1c-7abc-8def-0123456789ab']])
    expect([id, line['id']]).toEqual(['0192f0a4-5d1c-7abc-8def-0123456789ab', '0192f0a4-5d1c-7abc-8def-0123456789ab'])
  })

  it.each(['x'.repeat(8), 'x'.repeat(42)])('is taken from the caller who gives "%s"', async (given) => {
    expect((await ask([['X-Request-Id', given]])).id).toBe(given)
  })

  it.each([
    '',
    'short',
    'x'.repeat(7),
    'with space!',
    'x'.repeat(43),
    token,
    `x${token}`,
    token.slice(4),
    `x-${token.slice(4)}`,
  ])('is made when the caller gives "%s"', async (given) => {
    const { id, line, log } = await ask([['X-Request-Id', given]])
    expect(id).toMatch(own)
    expect(line['id']).toBe(id)
    expect(log).not.toContain(token.slice(4))
  })

  it('is made when the caller gives what looks like a trigger id', async () => {
    const { id, log } = await ask([['X-Request-Id', 'BELL0123456789abcdefgw']])
    expect([id, log]).toEqual([expect.stringMatching(own), expect.not.stringContaining('BELL')])
  })

  it.each(['BELL0123456789abcdefg', 'BELL0123456789abcdefghw', '0192f0a45d1c7abc8def0123456789ab'])(
    'is taken from the caller who gives "%s", which does not look like one',
    async (given) => {
      expect((await ask([['X-Request-Id', given]])).id).toBe(given)
    },
  )

  describe.each(Object.entries(spellings))('beside a target with a trigger id, %s', (_, spell) => {
    const chosen = 'front-door-2026'
    const target = `/api/triggers/v1/peek/${spell(chosen)}`

    it.each([chosen, 'front-door'])('is made when the caller gives that too, or a part of it: "%s"', async (given) => {
      const { id, log } = await ask([['X-Request-Id', given]], target)
      expect([id, log]).toEqual([expect.stringMatching(own), expect.not.stringContaining('front')])
    })

    it('is taken from the caller who gives another', async () => {
      expect((await ask([['X-Request-Id', 'back-door-2026']], target)).id).toBe('back-door-2026')
    })
  })

  it('is made when the target has too many layers of escapes', async () => {
    const { id } = await ask([['X-Request-Id', 'front-door-2026']], `/%${'25'.repeat(9)}66ront-door-2026`)
    expect(id).toMatch(own)
  })

  it('is another one for each request', async () => {
    const [one, other] = [await ask([]), await ask([])]
    expect(one.id).not.toBe(other.id)
  })

  it('carries the trace of a traceparent into the log line', async () => {
    const { line } = await ask([['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01']])
    expect(line['trace']).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
  })
})
