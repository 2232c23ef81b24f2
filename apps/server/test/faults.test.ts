import { Entries, type Entry, Envelope } from '@canopy/domain'
import {
  type Ask,
  askInProcess,
  asksOfManyCalls,
  type FaultName,
  failEachCall,
  faultMark,
  faults,
  headerOf,
  memoryPorts,
  type Ports,
  type RawResponse,
  request,
  scenarios,
  target,
  unhandledRejections,
  worldOfManyCalls,
} from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { guardPorts } from '../src/ports/guardPorts.js'
import { startApp } from './startApp.js'

const ports = memoryPorts(worldOfManyCalls)

/** Long enough for ports in memory, which answer before any timer can end. */
const portTimeoutMs = 50

const everyFault = Object.keys(faults) as ReadonlyArray<FaultName>
const cases = asksOfManyCalls.flatMap(([name, ask]) => everyFault.map((how) => [name, how, ask] as const))

/** What the log says of a fault, where it says more than that there was no answer in what the port gave. */
const causes: { readonly [How in FaultName]?: string } = {
  'fails with external': faultMark,
  rejects: faultMark,
  'rejects with nothing': 'threw undefined',
  throws: faultMark,
  'returns a task that throws': faultMark,
  'returns no task': 'is not a function',
  'never answers': `gave no answer within ${portTimeoutMs} ms`,
}

interface Heard {
  readonly response: RawResponse
  readonly lines: ReadonlyArray<Readonly<Record<string, unknown>>>
}

const askOverHttp = async (faulty: Ports, ask: Ask): Promise<Heard> => {
  const lines: Array<Readonly<Record<string, unknown>>> = []
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const service = await startApp(faulty, { portTimeoutMs, log })
  const response = await request(service.port, { method: 'GET', target: target(ask) })
  await service.stop()
  return { response, lines }
}

/** How an answer may end whose port failed: `external`, or, begun already, cut off where it was still right. */
const endOf = ({ response: { status, body, complete } }: Heard, whole: Heard): string => {
  if (status === 502 && complete && body.toString() === Envelope.errorJson('external')) return 'external'
  const begun = whole.response.body.subarray(0, body.length).equals(body)
  return status === 200 && !complete && begun ? 'cut off' : `${status} ${body.toString()}`
}

const isStreamed = ({ response }: Heard): boolean => headerOf(response, 'Transfer-Encoding') === 'chunked'

const answerOf = ({ response: { status, body, complete } }: Heard): unknown => {
  const text = complete ? body.toString() : 'cut off'
  return status === 200 ? { body: text } : { error: JSON.parse(text).error }
}

const lineOf = ({ lines }: Heard) =>
  lines.map(({ level, error, cause }) => ({ level, error, cause: (cause as { readonly message: string }).message }))

describe.each(cases)('%s, of which any call of a port %s', (_, how, ask) => {
  it('is external, and right when no call fails; nothing goes unhandled', async () => {
    const unhandled = await unhandledRejections(async () => {
      const { failed, whole } = await failEachCall(ports, how, (failing) =>
        askInProcess(guardPorts(failing, portTimeoutMs))(ask),
      )
      expect(failed).toEqual(failed.map(() => ({ error: 'external' })))
      expect(failed.length).toBeGreaterThan(0)
      expect(whole).toEqual(await askInProcess(ports)(ask))
    })
    expect(unhandled).toEqual([])
  })

  it('is over HTTP external or cut off, and the log alone tells the cause', async () => {
    const unhandled = await unhandledRejections(async () => {
      const { failed, whole } = await failEachCall(ports, how, (failing) => askOverHttp(failing, ask))
      expect([...new Set(failed.map((heard) => endOf(heard, whole)))]).toEqual(
        isStreamed(whole) ? ['external', 'cut off'] : ['external'],
      )
      expect(answerOf(whole)).toEqual(await askInProcess(ports)(ask))
      for (const heard of failed)
        expect(lineOf(heard)).toEqual([
          {
            level: 50,
            error: 'external',
            cause: expect.stringContaining(causes[how] ?? 'gave what is none of its answers'),
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
    // Nobody looks at the names of what is packed.
    const entries = Entries.packed([
      { names: '\ud800/\ud801', starts: new Uint32Array([0, 2, 4]), numbers: new BigUint64Array(4) },
    ])
    const unnamed = { ...memoryPorts(worldOfManyCalls), list: () => TE.right({ entries, unlistable: 0 }) }
    const ask = { operation: 'storageDirItems', credential: `cnp_${'a'.repeat(42)}A`, path: '', limit: 1 } as const
    const { response, lines } = await askOverHttp(unnamed, ask)
    expect([response.status, response.body.toString()]).toEqual([502, Envelope.errorJson('external')])
    expect(lines).toEqual([expect.objectContaining({ error: 'external', cause: { message: 'URI malformed' } })])
  })
})
