import { createHash } from 'node:crypto'
import { Failure } from '@canopy/domain'
import { busyFor } from '@canopy/test-support'
import { headerOf, memoryPorts, type Ports, scenarios } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { logTo } from '../../src/observe/log.js'
import { servedApps } from '../inProcess.js'
import { spellings } from './observing.js'

const world = scenarios[0]?.world ?? { accounts: [], triggers: [] }
const token = `cnp_${'a'.repeat(42)}A`
const photos = '/api/usercontent/v1/tree/id/1/photos'

const served = servedApps()

const serve = async (ports: Partial<Ports> = {}, level = 'trace') => {
  const texts: Array<string> = []
  const log = logTo({ level }, (line) => texts.push(line))
  const service = await served({ ...memoryPorts(world), ...ports }, { log })
  return { ...service, lines: () => texts.map((line) => JSON.parse(line)) }
}

const lineOf = async (target: string, ports: Partial<Ports> = {}) => {
  const { ask, lines } = await serve(ports)
  await ask(target)
  expect(lines()).toHaveLength(1)
  return lines()[0]
}
const failing = (cause: unknown): Partial<Ports> => ({ nodeAt: () => TE.left(Failure.external(cause)) })

it('the line of a request has method, target, operation, status and duration', async () => {
  const memory = memoryPorts(world)
  const areaOfUser: Ports['areaOfUser'] = (user) => () => {
    busyFor(20)
    return memory.areaOfUser(user)()
  }
  const line = await lineOf(`${photos}?depth=0`, { areaOfUser })
  expect(line).toMatchObject({ method: 'GET', target: photos, operation: 'userContentTree', status: 200 })
  expect(line.ms).toBeGreaterThanOrEqual(20)
})

it.each([
  [new Error(`EACCES: open '/proc/1/fd/26/${token}'`), { message: "EACCES: open '/proc/1/fd/26/[token]'" }],
  [`no way to ${token}`, 'no way to [token]'],
  [{ message: `no way to ${token}` }, "{\n  message: 'no way to [token]'\n}"],
])('the cause in a line is redacted: %o', async (cause, shown) => {
  const line = await lineOf(photos, failing(cause))
  expect([line.status, line.cause]).toEqual([502, shown])
  expect(JSON.stringify(line)).not.toContain(token)
})

it.each(['hunter2', '01', '18446744073709551616'])('text in the place of a user id is hidden: %s', async (text) => {
  const { target } = await lineOf(`/api/usercontent/v1/tree/id/${text}/photos`)
  expect(target).toBe('/api/usercontent/v1/tree/id/[not a user id]/photos')
})

it('at the level error only failures are logged', async () => {
  const { ask, lines } = await serve(failing(new Error('the disk is gone')), 'error')
  await ask('/nowhere')
  await ask(`/api/storage/v1/tree/${token}`)
  expect(lines()).toMatchObject([{ level: 50, operation: 'storageTree' }])
})

it('the line of a request has the public id of its token in any spelling', async () => {
  const { ask, lines } = await serve()
  const unknown = `cnp_${'z'.repeat(42)}A`
  const spelled = (spellings['percent-encoded in upper case'] ?? String)(token)
  const idOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
  const asked: ReadonlyArray<readonly [string, string | undefined, number]> = [
    [`/api/storage/v1/diritems/${token}/x`, idOf(token), 404],
    [`/api/storage/v1/diritems/${spelled}/x`, idOf(token), 404],
    [`/api/storage/v1/diritems/${unknown}/x`, idOf(unknown), 401],
    [`/api/storage/v1/diritems/${token}x/x`, undefined, 401],
    [`/api/storage/v1/diritems/${token.slice(4)}/x`, undefined, 401],
    [`/api/usercontent/v1/tree/id/1/${token}`, undefined, 404],
    [`/api/triggers/v1/peek/${token}`, undefined, 404],
    [`/${token}`, undefined, 404],
    // The longest target, all escapes.
    [`/api/usercontent/v1/tree/id/1/%${'25'.repeat(11_900)}`, undefined, 404],
  ]
  for (const [target] of asked) await ask(target)
  expect(lines()[0]).toMatchObject({ target: '/api/storage/v1/diritems/[token]/x', error: 'file not found' })
  expect(lines().at(-1)).toMatchObject({ target: '/api/usercontent/v1/tree/id/1/[escapes]' })
  expect(lines().map(({ tokenId, status }) => [tokenId, status])).toEqual(asked.map(([, ...expected]) => expected))
})

const chosen = 'blue-house-2026'

/** The id in the answer, equal to that in the log. */
const idOf = async (given: string | undefined, target = '/') => {
  const { ask, lines } = await serve()
  const id = headerOf(await ask(target, given === undefined ? [] : [['X-Request-Id', given]]), 'X-Request-Id')
  expect(lines()).toMatchObject([{ id }])
  if (id !== given) expect(JSON.stringify(lines())).not.toContain(given || token)
  return id
}

// The last one has a character too few for a trigger id.
it.each(['x'.repeat(8), 'x'.repeat(42), 'BELL0123456789abcdefg'])(
  'the id of a request is the given one: "%s"',
  async (given) => {
    expect(await idOf(given)).toBe(given)
  },
)

it.each([undefined, '', 'x'.repeat(7), 'with space!', 'x'.repeat(43), token, token.slice(4), 'BELL0123456789abcdefgw'])(
  'the id of a request is new for the unsuitable "%s"',
  async (given) => {
    const [one, other] = [await idOf(given), await idOf(given)]
    expect([one, other]).toEqual(Array(2).fill(expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)))
    expect(one).not.toBe(other)
  },
)

it.each(Object.entries(spellings))(
  'the id of a request is no part of a trigger id in its target, %s',
  async (_, spell) => {
    const target = `/api/triggers/v1/peek/${spell(chosen)}`
    for (const part of [chosen, 'blue-house']) expect(await idOf(part, target)).not.toBe(part)
    expect(await idOf('grey-house-2026', target)).toBe('grey-house-2026')
  },
)
