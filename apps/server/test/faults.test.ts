import { type Entry, Envelope, type Listing, type Name, U64 } from '@canopy/domain'
import { asksOfManyCalls, token, unhandledRejections, worldOfManyCalls } from '@canopy/test-support'
import {
  type Answer,
  type Ask,
  askInProcess,
  type FaultName,
  failEachCall,
  failsHonestly,
  faultMark,
  faults,
  memoryPorts,
  type Ports,
  requestOf,
  scenarios,
  target,
} from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logged, type Service, startService } from './inProcess.js'

const ports = memoryPorts(worldOfManyCalls)

const everyFault = Object.keys(faults) as ReadonlyArray<FaultName>
const cases = asksOfManyCalls.flatMap(([name, ask]) => everyFault.map((how) => [name, how, ask] as const))

/** Cause of each fault in the log. */
const causes: { readonly [How in FaultName]: string } = {
  'fails with external': faultMark,
  rejects: faultMark,
  'rejects with nothing': 'threw undefined',
  throws: faultMark,
  'returns a task that throws': faultMark,
  'returns no task': 'is not a function',
  'never answers': 'timed out after 50 ms',
}

/** One service over replaceable ports: each request returns its answer and its log lines. */
const serving = (portMs: number) => {
  const { lines, log } = logged('trace')
  let now: Ports = ports
  let service: Service
  beforeAll(async () => {
    const through: Ports = {
      areaOfToken: (token) => now.areaOfToken(token),
      areaOfUser: (user) => now.areaOfUser(user),
      settingsOf: (owner) => now.settingsOf(owner),
      nodeAt: (area, path) => now.nodeAt(area, path),
      list: (area, path) => now.list(area, path),
      triggerOf: (id) => now.triggerOf(id),
    }
    service = await startService(through, { portMs, log, cacheBytes: 0 })
  })
  afterAll(() => service.stop())
  return async (faulty: Ports, ask: Ask) => {
    now = faulty
    lines.length = 0
    const { status, headers, body, complete } = await service.ask(target(ask), requestOf(ask).headers)
    const text = complete ? body.toString() : 'cut off'
    const answer: Answer = status === 200 ? { body: text } : { error: JSON.parse(text).error }
    return { status, headers, text, answer, lines: [...lines] }
  }
}
const askOverHttp = serving(10_000)
const askInHaste = serving(50)

const shown = (lines: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  lines.map(({ level, error, cause, unreadable }) => {
    const { first } = (unreadable ?? {}) as { readonly first?: { readonly cause: unknown } }
    return { level, error, cause: cause ?? first?.cause }
  })

const lineOf = (left: 'external' | 'not expanded', cause: string) => ({
  ...(left === 'external' ? { level: 50, error: 'external' } : { level: 40, error: undefined }),
  cause: { message: expect.stringContaining(cause) },
})

describe.each(cases)('%s, when a port call %s', (_, how, ask) => {
  it('is external or has one directory not expanded, with the cause in the log', async () => {
    const isTree = ask.operation === 'storageTree' || ask.operation === 'userContentTree'
    const unhandled = await unhandledRejections(async () => {
      const asked = how === 'never answers' ? askInHaste : askOverHttp
      const { failed, whole } = await failEachCall(ports, how, (failing) => asked(failing, ask))
      const ends = failed.map(({ answer }) =>
        !failsHonestly(answer, whole.answer) ? answer : 'error' in answer ? 'external' : 'not expanded',
      )
      expect([...new Set(ends)]).toEqual(isTree ? ['external', 'not expanded'] : ['external'])
      expect(whole.answer).toEqual(await askInProcess(ports)(ask))
      for (const [index, { lines }] of failed.entries())
        expect(shown(lines)).toMatchObject([
          lineOf(ends[index] === 'external' ? 'external' : 'not expanded', causes[how]),
        ])
    })
    expect(unhandled).toEqual([])
  })
})

const external = scenarios.filter(({ answer }) => 'error' in answer && answer.error === 'external')

it.each(external)('$name, with its cause only in the log', async ({ world, ask }) => {
  const { status, text, headers, lines } = await askOverHttp(memoryPorts(world), ask)
  expect([status, text]).toEqual([502, Envelope.errorJson('external')])
  expect(lines).toEqual([expect.objectContaining({ level: 50, error: 'external', cause: expect.any(String) })])
  expect(JSON.stringify(headers)).not.toContain(lines[0]?.['cause'])
})

it('a bug outside of ports is external, with its cause in the log', async () => {
  // Only the body reads entries by index.
  const at = () => {
    throw new Error('a bug')
  }
  const entry: Entry.Entry = { type: 'dir', name: 'a' as Name.Name, last_modified: U64.zero }
  const entries: Listing.Entries = Object.assign([entry], { at })
  const ask = { operation: 'storageDirItems', credential: token, path: '', after: 'a' } as const
  const { status, text, lines } = await askOverHttp({ ...ports, list: () => TE.right({ entries, unlistable: 0 }) }, ask)
  expect([status, text]).toEqual([502, Envelope.errorJson('external')])
  expect(lines).toEqual([expect.objectContaining({ error: 'external', cause: { message: 'a bug' } })])
})
