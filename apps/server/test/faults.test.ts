import { Envelope, type Listing } from '@canopy/domain'
import { dir, file, files, token, worldWith } from '@canopy/test-support'
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
  target,
} from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { observedApps, settingsAt } from './inProcess.js'

const shelf = (name: string) => dir(name, ...files(500, 'a file with some name'))

/** Responses take many port calls, and trees may be streamed. */
const worldOfManyCalls = worldWith(
  [
    dir(
      'open',
      dir('a', dir('b', file('f'), file('g')), dir('empty')),
      dir('secret', file('f')),
      dir('shelves', ...['1', '2', '3'].map(shelf)),
      file('f'),
    ),
    file('readme.txt'),
  ],
  { settings: settingsAt({ '/open': 'public', '/open/secret': 'private' }) },
  [{ id: 'doorbell', value: '{"type":"webhook"}', state: 'valid' }],
)

const asksOfManyCalls: ReadonlyArray<readonly [name: string, ask: Ask]> = [
  ['a tree by token', { operation: 'storageTree', credential: token, path: '/open/a' }],
  ['a large tree by user id', { operation: 'userContentTree', credential: '1', path: '/open' }],
  ['lines by token', { operation: 'storageTree', credential: token, path: '', lines: { name: 'f' } }],
  ['a listing by token', { operation: 'storageDirItems', credential: token, path: '/open' }],
  ['a listing by user id', { operation: 'userContentDirItems', credential: '1', path: '/open' }],
  ['a mismatch below a private directory', { operation: 'userContentDirItems', credential: '1', path: '/open/f/x/y' }],
  ['a peek', { operation: 'triggerPeek', credential: 'doorbell' }],
]

const ports = memoryPorts(worldOfManyCalls)

const everyFault = Object.keys(faults) as ReadonlyArray<FaultName>
const cases = asksOfManyCalls.flatMap(([name, ask]) => everyFault.map((how) => [name, how, ask] as const))

const causes: { readonly [How in FaultName]: string } = {
  'fails with external': faultMark,
  rejects: faultMark,
  'rejects with nothing': 'threw undefined',
  throws: faultMark,
  'returns a task that throws': faultMark,
  'returns no task': 'is not a function',
  'never answers': 'timed out after 50 ms',
}

const serve = observedApps()

const askOverHttp = async (over: Ports, ask: Ask, portMs = 10_000) => {
  const service = await serve(over, { portMs, cacheBytes: 0 })
  const { status, body, complete } = await service.ask(target(ask), requestOf(ask).headers)
  const text = complete ? body.toString() : 'cut off'
  const answer: Answer = status === 200 ? { body: text } : { error: JSON.parse(text).error }
  return { status, text, answer, lines: service.lines }
}

const shown = (lines: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  lines.map(({ level, error, cause, unreadable }) => {
    const { first } = (unreadable ?? {}) as { readonly first?: { readonly cause: unknown } }
    return { level, error, cause: cause ?? first?.cause }
  })

const lineOf = (end: unknown, cause: string) => ({
  ...(end === 'external' ? { level: 50, error: 'external' } : { level: 40, error: undefined }),
  cause: { message: expect.stringContaining(cause) },
})

it.each(cases)('%s, when a port call %s, is honest, with the cause in the log', async (_, how, ask) => {
  const isTree = ask.operation === 'storageTree' || ask.operation === 'userContentTree'
  const portMs = how === 'never answers' ? 50 : 10_000
  const { failed, whole } = await failEachCall(ports, how, (failing) => askOverHttp(failing, ask, portMs))
  const ends = failed.map(({ answer }) =>
    !failsHonestly(answer, whole.answer) ? answer : 'error' in answer ? 'external' : 'not expanded',
  )
  expect([...new Set(ends)]).toEqual(isTree ? ['external', 'not expanded'] : ['external'])
  expect(whole.answer).toEqual(await askInProcess(ports)(ask))
  for (const [index, { lines }] of failed.entries())
    expect(shown(lines)).toMatchObject([lineOf(ends[index], causes[how])])
})

it('a bug outside of ports is external, with its cause in the log', async () => {
  const walk = (): never => {
    throw new Error('a bug')
  }
  const entries: Listing.Entries = { length: 1, at: walk, [Symbol.iterator]: walk }
  const ask = { operation: 'storageDirItems', credential: token, path: '' } as const
  const { status, text, lines } = await askOverHttp({ ...ports, list: () => TE.right({ entries, unlistable: 0 }) }, ask)
  expect([status, text]).toEqual([502, Envelope.errorJson('external')])
  expect(lines).toEqual([expect.objectContaining({ error: 'external', cause: { message: 'a bug' } })])
})
