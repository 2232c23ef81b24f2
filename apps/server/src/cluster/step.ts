import * as Deaths from './Deaths.js'
import type { Command, Event, Report, Supervision, Worker, WorkerId } from './Supervision.js'

type Exit = Extract<Event, { readonly is: 'exited' }>
type Step = readonly [Supervision, ReadonlyArray<Command>]

const report = (what: Report): Command => ({ do: 'report', what })

const andThen = ([state, commands]: Step, next: (state: Supervision) => Step): Step => {
  const [after, more] = next(state)
  return [after, [...commands, ...more]]
}

const withWorker = (state: Supervision, id: WorkerId, worker: Worker): Supervision => ({
  ...state,
  workers: new Map(state.workers).set(id, worker),
})

const startOne = (state: Supervision): Step => [
  {
    ...withWorker(state, state.nextId, { stage: 'starting', generation: state.generation }),
    nextId: state.nextId + 1,
  },
  [{ do: 'start', id: state.nextId }],
]

const start = (count: number, state: Supervision): Step =>
  Array.from({ length: count }).reduce<Step>((sofar) => andThen(sofar, startOne), [state, []])

const leave = (how: 'retire' | 'stop', [id, worker]: readonly [WorkerId, Worker], state: Supervision): Step => [
  withWorker(state, id, { ...worker, stage: 'leaving' }),
  [{ do: how, id }],
]

/** One step towards the workers that there should be. Never fewer than those, of its own doing, and at most one more. */
const reconcile = (state: Supervision): Step => {
  const active = [...state.workers].filter(([, { stage }]) => stage !== 'leaving')
  const outdated = active.filter(([, { generation }]) => generation < state.generation)
  const settled =
    active.length === state.workers.size && active.every(([, { stage }]) => stage === 'ready') && !state.pausing
  // The first worker tries the configuration alone, and the port is opened, so that what is wrong is said once.
  if (state.phase === 'first start') return start(active.length === 0 ? 1 : 0, state)
  if (active.length < state.wanted) return start(state.pausing ? 0 : state.wanted - active.length, state)
  if (!settled) return [state, []]
  const surplus = active.length > state.wanted ? (outdated[0] ?? active[0]) : undefined
  if (surplus !== undefined) return leave('retire', surplus, state)
  if (outdated.length > 0) return start(1, state)
  return state.reloading ? [{ ...state, reloading: false }, [report('reloaded')]] : [state, []]
}

const goOn = (state: Supervision): Step => {
  const all = [...state.workers.values()].filter(({ stage }) => stage === 'ready').length === state.wanted
  const reports = all && !state.reloading ? [report('every worker is ready')] : []
  return andThen([state, reports], reconcile)
}

const isReady = (state: Supervision, id: WorkerId): Step => {
  const worker = state.workers.get(id)
  if (worker?.stage !== 'starting') return [state, []]
  const now = withWorker(state, id, { ...worker, stage: 'ready' })
  return now.phase === 'running' ? goOn(now) : [now, []]
}

/** The workers that a reload was to replace are as good as new ones. */
const abandonReload = (state: Supervision): Supervision => ({
  ...state,
  reloading: false,
  workers: new Map([...state.workers].map(([id, worker]) => [id, { ...worker, generation: state.generation }])),
})

const died = (worker: Worker, { id, at, by }: Exit, before: Supervision): Step => {
  const abandoned = before.reloading && worker.generation === before.generation
  const state = { ...(abandoned ? abandonReload(before) : before), deaths: Deaths.counted(before.deaths, at) }
  const reports = [
    { do: 'report', what: 'a worker died', of: { worker: id, by } } as const,
    ...(abandoned ? [report('reload abandoned: a new worker died, the others go on')] : []),
  ]
  const somebodyIsReady = [...state.workers.values()].some(({ stage }) => stage === 'ready')
  if (Deaths.areHopeless(state.deaths) && !somebodyIsReady) {
    return [
      { ...state, phase: 'stopping' },
      [...reports, report('workers die again and again: giving up'), { do: 'end', code: 1 }],
    ]
  }
  const ms = Deaths.pauseMs(state.deaths)
  return state.pausing || ms === 0
    ? andThen([state, reports], reconcile)
    : [{ ...state, pausing: true }, [...reports, { do: 'pause', ms }]]
}

const exited = (state: Supervision, exit: Exit): Step => {
  const worker = state.workers.get(exit.id)
  if (worker === undefined) return [state, []]
  const left = { ...state, workers: new Map([...state.workers].filter(([id]) => id !== exit.id)) }
  if (state.phase === 'stopping') return [left, left.workers.size === 0 ? [{ do: 'end', code: 0 }] : []]
  if (worker.stage === 'leaving') return reconcile(left)
  // It has said itself what is wrong.
  if (state.phase === 'first start') return [{ ...left, phase: 'stopping' }, [{ do: 'end', code: 1 }]]
  return died(worker, exit, left)
}

const stopped = (state: Supervision): Step =>
  state.workers.size === 0
    ? [{ ...state, phase: 'stopping' }, [{ do: 'end', code: 0 }]]
    : [...state.workers]
        .filter(([, { stage }]) => stage !== 'leaving')
        .reduce<Step>(
          (sofar, each) => andThen(sofar, (now) => leave('stop', each, now)),
          [{ ...state, phase: 'stopping' }, []],
        )

/** What a primary does about what happens. Pure. */
export const step = (state: Supervision, event: Event): Step => {
  switch (event.is) {
    case 'ready':
      return isReady(state, event.id)
    case 'port open':
      return state.phase === 'first start' ? goOn({ ...state, phase: 'running' }) : [state, []]
    case 'exited':
      return exited(state, event)
    case 'stop asked':
      return state.phase === 'stopping' ? [state, []] : stopped(state)
    case 'begun':
    case 'pause over':
    case 'reload asked':
      return state.phase === 'stopping' ? [state, []] : reconcile(afterOrder(state, event))
  }
}

const afterOrder = (
  state: Supervision,
  event: Exclude<Event, { readonly is: 'ready' | 'port open' | 'exited' | 'stop asked' }>,
): Supervision => {
  switch (event.is) {
    case 'begun':
      return state
    case 'pause over':
      return { ...state, pausing: false }
    case 'reload asked':
      return { ...state, wanted: event.wanted, generation: state.generation + 1, reloading: true }
  }
}
