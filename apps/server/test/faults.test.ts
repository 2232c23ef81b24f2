import { type Entry, Envelope, type Listing, type Name, U64 } from '@canopy/domain'
import { asksOfManyCalls, unhandledRejections, worldOfManyCalls } from '@canopy/test-support'
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
  type RawResponse,
  request,
  scenarios,
  target,
} from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { logged } from './logs.js'
import { startApp } from './startApp.js'

const ports = memoryPorts(worldOfManyCalls)

/** Short where it is waited for. */
const timeoutFor = (how: FaultName): number => (how === 'never answers' ? 50 : 10_000)

const everyFault = Object.keys(faults) as ReadonlyArray<FaultName>
const cases = asksOfManyCalls.flatMap(([name, ask]) => everyFault.map((how) => [name, how, ask] as const))

/** What the log says of a fault. */
const causes: { readonly [How in FaultName]: string } = {
  'fails with external': faultMark,
  rejects: faultMark,
  'rejects with nothing': 'threw undefined',
  throws: faultMark,
  'returns a task that throws': faultMark,
  'returns no task': 'is not a function',
  'never answers': `gave no answer within ${timeoutFor('never answers')} ms`,
}

interface Heard {
  readonly response: RawResponse
  readonly lines: ReadonlyArray<Readonly<Record<string, unknown>>>
}

const askOverHttp = async (faulty: Ports, ask: Ask, portMs = 8_000): Promise<Heard> => {
  const { lines, log } = logged('trace')
  const service = await startApp(faulty, { portMs, log })
  const response = await request(service.port, { method: 'GET', target: target(ask) })
  await service.stop()
  return { response, lines }
}

/** How an answer may end whose port failed. */
const endOf = (answer: Answer, whole: Answer): unknown =>
  !failsHonestly(answer, whole) ? answer : 'error' in answer ? 'external' : 'not expanded'

const endsOf = ({ operation }: Ask): ReadonlyArray<string> =>
  operation === 'storageTree' || operation === 'userContentTree' ? ['external', 'not expanded'] : ['external']

const answerOf = ({ response: { status, body, complete } }: Heard): Answer => {
  const text = complete ? body.toString() : 'cut off'
  return status === 200 ? { body: text } : { error: JSON.parse(text).error }
}

const messageIn = (line: unknown): unknown =>
  (line as { readonly cause?: { readonly message: string } } | undefined)?.cause?.message

const lineOf = ({ lines }: Heard) =>
  lines.map(({ unreadable, ...line }) => ({
    level: line['level'],
    error: line['error'],
    cause: messageIn(line) ?? messageIn((unreadable as { readonly first: unknown } | undefined)?.first),
  }))

describe.each(cases)('%s, of which any call of a port %s', (_, how, ask) => {
  it('is external, or leaves one directory unexpanded, never cut off, and right when no call fails; the log alone tells the cause', async () => {
    const unhandled = await unhandledRejections(async () => {
      const { failed, whole } = await failEachCall(ports, how, (failing) => askOverHttp(failing, ask, timeoutFor(how)))
      const ends = failed.map((heard) => endOf(answerOf(heard), answerOf(whole)))
      expect([...new Set(ends)]).toEqual(endsOf(ask))
      expect(answerOf(whole)).toEqual(await askInProcess(ports)(ask))
      for (const [index, heard] of failed.entries())
        expect(lineOf(heard)).toEqual([
          {
            ...(ends[index] === 'external' ? { level: 50, error: 'external' } : { level: 40, error: undefined }),
            cause: expect.stringContaining(causes[how]),
          },
        ])
    })
    expect(unhandled).toEqual([])
  })
})

const failing = scenarios.filter(({ answer }) => 'error' in answer && answer.error === 'external')

describe.each(failing)('$name', ({ world, ask }) => {
  it('with its cause in the log, and nowhere in the answer', async () => {
    const { response, lines } = await askOverHttp(memoryPorts(world), ask)
    expect([response.status, response.body.toString()]).toEqual([502, Envelope.errorJson('external')])
    expect(lines).toEqual([expect.objectContaining({ level: 50, error: 'external', cause: expect.any(String) })])
    expect(JSON.stringify(response.headers)).not.toContain(lines[0]?.['cause'])
  })
})

describe('a private entry that cannot be looked at', () => {
  const isSecret = ({ name }: Entry.Entry): boolean => name === 'secret'
  const broken: Ports = {
    ...ports,
    list: (area, path) =>
      pipe(
        ports.list(area, path),
        TE.map(({ entries, unlistable }) => ({
          entries: [...entries].filter((entry) => !isSecret(entry)),
          unlistable,
          unknown: { names: [...entries].filter(isSecret).map(({ name }) => name), cause: new Error(faultMark) },
        })),
      ),
  }

  it.each(['userContentDirItems', 'userContentTree'] as const)(
    'makes no difference to a visitor: %s',
    async (operation) => {
      const ask = { operation, credential: '1', path: '/open' }
      const heard = await askOverHttp(broken, ask)
      expect(heard.response.status).toBe(200)
      expect(answerOf(heard)).toEqual(answerOf(await askOverHttp(ports, ask)))
    },
  )

  it.each(['storageDirItems', 'storageTree'] as const)('is external to the owner: %s', async (operation) => {
    const heard = await askOverHttp(broken, { operation, credential: `cnp_${'a'.repeat(42)}A`, path: '/open' })
    expect(answerOf(heard)).toEqual({ error: 'external' })
    expect(lineOf(heard)).toEqual([{ level: 50, error: 'external', cause: faultMark }])
  })
})

describe('what no port can be blamed for', () => {
  it('is external too, with its cause in the log', async () => {
    // The guard looks at each entry, and asks for none by its index.
    const at = () => {
      throw new Error('a bug')
    }
    const entry: Entry.Entry = { type: 'dir', name: 'a' as Name.Name, last_modified: U64.zero }
    const entries: Listing.Entries = Object.assign([entry], { at })
    const unnamed = { ...memoryPorts(worldOfManyCalls), list: () => TE.right({ entries, unlistable: 0 }) }
    const ask = { operation: 'storageDirItems', credential: `cnp_${'a'.repeat(42)}A`, path: '', after: 'a' } as const
    const { response, lines } = await askOverHttp(unnamed, ask)
    expect([response.status, response.body.toString()]).toEqual([502, Envelope.errorJson('external')])
    expect(lines).toEqual([expect.objectContaining({ error: 'external', cause: { message: 'a bug' } })])
  })
})
