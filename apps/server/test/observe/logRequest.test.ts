import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { Failure } from '@canopy/domain'
import { busyFor } from '@canopy/test-support'
import { memoryPorts, type Ports, request, scenarios } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/http/listen.js'
import { logTo } from '../../src/observe/log.js'
import { later } from '../later.js'
import { servedApps } from '../servedApps.js'
import { spellings } from './spellings.js'

const world = scenarios[0]?.world ?? { accounts: [], triggers: [] }
const token = `cnp_${'a'.repeat(42)}A`
const withoutPrefix = token.slice(4)

describe('the log line of a request', () => {
  const served = servedApps()
  const lines: Array<string> = []

  const serve = async (overrides = {}, level = 'trace'): Promise<RunningServer> => {
    lines.length = 0
    const log = logTo({ level }, (line) => lines.push(line))
    return served({ ...memoryPorts(world), ...overrides }, { log })
  }

  const logged = async ({ port, stop }: RunningServer, target: string) => {
    await request(port, { method: 'GET', target })
    await stop()
    return lines.map((line) => JSON.parse(line))
  }

  it('is written of a target that is as long as it may be, and all escapes', async () => {
    const [line] = await logged(await serve(), `/api/usercontent/v1/tree/id/1/%${'25'.repeat(11_900)}`)
    expect(line).toMatchObject({ target: '/api/usercontent/v1/tree/id/1/[escapes]', status: 404 })
  })

  it('tells method, target, operation, status and how long it took', async () => {
    const [line, ...more] = await logged(await serve(), '/api/usercontent/v1/tree/id/1/photos?depth=0')
    expect(more).toEqual([])
    expect(line).toMatchObject({
      method: 'GET',
      target: '/api/usercontent/v1/tree/id/1/photos',
      operation: 'userContentTree',
      status: 200,
    })
    expect(line.ms).toBeGreaterThan(0)
  })

  it('says so when the connection was gone before the answer', async () => {
    const [reached, finished] = [later(), later()]
    const triggerOf = () => async () => {
      reached.give()
      await finished.value
      return E.left(Failure.triggerNotFound)
    }
    const { port } = await serve({ triggerOf })
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /api/triggers/v1/peek/bell HTTP/1.1\r\nHost: x\r\n\r\n')
    await reached.value
    socket.destroy()
    await expect.poll(() => lines.length).toBe(1)
    finished.give()
    const answered = '/api/usercontent/v1/tree/id/1'
    await request(port, { method: 'GET', target: answered })
    expect(lines.map((line) => JSON.parse(line)).map(({ aborted, status }) => [aborted, status])).toEqual([
      [true, undefined],
      [undefined, 200],
    ])
  })

  it('tells milliseconds', async () => {
    const memory = memoryPorts(world)
    const slow: Ports['areaOfUser'] = (user) => () => {
      busyFor(20)
      return memory.areaOfUser(user)()
    }
    const [line] = await logged(await serve({ areaOfUser: slow }), '/api/usercontent/v1/tree/id/1/photos')
    expect(line.ms).toBeGreaterThanOrEqual(20)
  })

  it('is written for what failed, and for nothing else, when only errors are wanted', async () => {
    const service = await serve({ nodeAt: () => TE.left(Failure.external(new Error('the disk is gone'))) }, 'error')
    await request(service.port, { method: 'GET', target: '/nowhere' })
    expect(await logged(service, `/api/storage/v1/tree/${token}`)).toMatchObject([
      { level: 50, operation: 'storageTree' },
    ])
  })

  it('shows a token as [token] and names the error', async () => {
    const [line] = await logged(await serve(), `/api/storage/v1/tree/${token}/nothing`)
    expect(line).toMatchObject({ target: '/api/storage/v1/tree/[token]/nothing', error: 'file not found', status: 404 })
  })

  it('holds no token in the cause either', async () => {
    const cause = new Error(`EACCES: permission denied, open '/proc/1/fd/26/${token}'`)
    const service = await serve({ nodeAt: () => TE.left(Failure.external(cause)) })
    const [line] = await logged(service, `/api/usercontent/v1/tree/id/1/${token}`)
    expect(line.cause).toEqual({ message: "EACCES: permission denied, open '/proc/1/fd/26/[token]'" })
  })

  it('holds no token in a cause that is no error either', async () => {
    for (const cause of [`no way to ${token}`, { message: `no way to ${token}` }]) {
      const service = await serve({ nodeAt: () => TE.left(Failure.external(cause)) })
      const [line] = await logged(service, '/api/usercontent/v1/tree/id/1/photos')
      expect([line.status, JSON.stringify(line)]).toEqual([502, expect.not.stringContaining(token)])
    }
  })

  it('names the token by its public id, in any spelling, also when it opens nothing', async () => {
    const { port } = await serve()
    const unknown = `cnp_${'z'.repeat(42)}A`
    const tokens = [
      token,
      (spellings['percent-encoded in upper case'] ?? String)(token),
      unknown,
      `${token}x`,
      withoutPrefix,
    ]
    for (const secret of tokens) await request(port, { method: 'GET', target: `/api/storage/v1/diritems/${secret}/x` })
    for (const target of [`/api/usercontent/v1/tree/id/1/${token}`, `/api/triggers/v1/peek/${token}`, `/${token}`])
      await request(port, { method: 'GET', target })
    const idOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
    expect(lines.map((line) => JSON.parse(line)).map(({ tokenId, status }) => [tokenId, status])).toEqual([
      [idOf(token), 404],
      [idOf(token), 404],
      [idOf(unknown), 401],
      [undefined, 401],
      [undefined, 401],
      [undefined, 404],
      [undefined, 404],
      [undefined, 404],
    ])
  })
})
