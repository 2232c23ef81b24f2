import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Deaths from '../../src/cluster/Deaths.js'
import { type Command, type Event, initial, type Supervision } from '../../src/cluster/Supervision.js'
import { step } from '../../src/cluster/step.js'

/** What has happened so far: the commands of each event. */
interface Course {
  readonly state: Supervision
  readonly commands: ReadonlyArray<Command>
}

const after = ({ state, commands }: Course, ...events: ReadonlyArray<Event>): Course =>
  events.reduce<Course>(
    (course, event) => {
      const [next, more] = step(course.state, event)
      return { state: next, commands: [...course.commands, ...more] }
    },
    { state, commands },
  )

/** So many deaths in a row are hopeless. */
const hopeless = 8

const begun = (wanted: number): Course => after({ state: initial(wanted), commands: [] }, { is: 'begun' })
const isReady = (id: number): Event => ({ is: 'ready', id })
const portOpen: Event = { is: 'port open' }
const exits = (id: number, at = 0): Event => ({ is: 'exited', id, at, by: 'code 1' })
const reload = (wanted: number): Event => ({ is: 'reload asked', wanted })

const running = (wanted: number): Course => {
  const all = Array.from({ length: wanted }, (_, index) => isReady(index + 1))
  return { ...after(begun(wanted), ...all.slice(0, 1), portOpen, ...all.slice(1)), commands: [] }
}

const ids = ({ state }: Course, stage?: string): ReadonlyArray<number> =>
  [...state.workers].filter(([, worker]) => stage === undefined || worker.stage === stage).map(([id]) => id)

const reports = ({ commands }: Course): ReadonlyArray<string> =>
  commands.flatMap((command) => (command.do === 'report' ? [command.what] : []))

const ends = ({ commands }: Course): ReadonlyArray<number> =>
  commands.flatMap((command) => (command.do === 'end' ? [command.code] : []))

/** Lets everything that is under way come to its end, without any death. */
const settle = (course: Course): Course => {
  const [id, worker] = [...course.state.workers].find(([, { stage }]) => stage !== 'ready') ?? []
  const event: Event | undefined = course.state.pausing
    ? { is: 'pause over' }
    : id === undefined
      ? undefined
      : worker?.stage === 'starting'
        ? isReady(id)
        : exits(id)
  return event === undefined ? course : settle(after(course, event))
}

describe('the primary', () => {
  it('starts one worker first, and the others when that one is ready and the port is open', () => {
    const one = after(begun(3), isReady(1))
    expect(one.commands).toEqual([{ do: 'start', id: 1 }])
    expect(after(one, portOpen, portOpen).commands.slice(1)).toEqual([
      { do: 'start', id: 2 },
      { do: 'start', id: 3 },
    ])
  })

  it('ends with 1 when the first worker does not start, which has said why', () => {
    const failed = after(begun(3), exits(1))
    expect(failed.commands.slice(1)).toEqual([{ do: 'end', code: 1 }])
  })

  it('replaces a worker that died, at once the first time, then after a pause that grows', () => {
    const first = after(running(2), exits(1, 0))
    expect(first.commands).toContainEqual({ do: 'start', id: 3 })
    const second = after(first, isReady(3), exits(3, 10))
    const third = after(second, { is: 'pause over' }, isReady(4), exits(4, 20))
    expect(third.commands.filter((command) => command.do === 'pause')).toEqual([
      { do: 'pause', ms: 250 },
      { do: 'pause', ms: 500 },
    ])
  })

  it('pauses for half a minute at most, however many have died', () => {
    expect([1, 2, 8, 9, 1000].map((count) => Deaths.pauseMs({ ...Deaths.none, count }))).toEqual([
      0, 250, 16_000, 30_000, 30_000,
    ])
  })

  it('forgets deaths that are a minute old', () => {
    const calm = after(running(2), exits(1, 0), isReady(3), exits(3, 120_000))
    expect(calm.commands).toContainEqual({ do: 'start', id: 4 })
    expect(calm.commands).not.toContainEqual(expect.objectContaining({ do: 'pause' }))
  })

  it('gives up and ends with 1 when workers die again and again and none is ready', () => {
    const die = (course: Course, death: number): Course =>
      after(course, exits(ids(course)[0] ?? 0, death), { is: 'pause over' })
    const deaths = (count: number): Course =>
      Array.from({ length: count }).reduce<Course>((course, _, at) => die(course, at), running(1))
    expect(ends(deaths(hopeless - 1))).toEqual([])
    expect(ends(deaths(hopeless))).toEqual([1])
  })

  it('does not give up as long as a worker is ready', () => {
    const die = (course: Course, death: number): Course =>
      after(course, exits(ids(course, 'starting')[0] ?? 1, death), { is: 'pause over' })
    const many = Array.from({ length: 3 * hopeless }).reduce<Course>(
      (course, _, death) => die(course, death),
      running(2),
    )
    expect(ends(many)).toEqual([])
    expect(ids(many, 'ready')).toEqual([2])
  })

  it('reloads by starting a new worker, and retires an old one only when the new one is ready', () => {
    const asked = after(running(2), reload(2))
    expect(asked.commands).toEqual([{ do: 'start', id: 3 }])
    expect(after(asked, isReady(3)).commands.slice(1)).toEqual([{ do: 'retire', id: 1 }])
  })

  it('waits for a worker that leaves before it starts the next one', () => {
    const leaving = after(running(2), reload(2), isReady(3), reload(2))
    expect(leaving.commands).toHaveLength(2)
    expect(after(leaving, exits(1)).commands.slice(2)).toEqual([{ do: 'start', id: 4 }])
  })

  it('goes on with the old workers when a new one does not start', () => {
    const abandoned = after(running(2), reload(2), exits(3))
    expect(reports(abandoned)).toEqual(['a worker died', 'reload abandoned: a new worker died, the others go on'])
    expect(ids(settle(abandoned))).toEqual([1, 2])
  })

  it('has as many workers after a reload as it wants by then', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }), (before, now) => {
        const reloaded = settle(after(running(before), reload(now)))
        const old = ids(reloaded).filter((id) => id <= before)
        expect([ids(reloaded, 'ready').length, old, reports(reloaded).at(-1)]).toEqual([now, [], 'reloaded'])
      }),
    )
  })

  it('says of a reload that it has ended, and no more, also when there are more workers then', () => {
    expect(reports(settle(after(running(2), reload(3))))).toEqual(['reloaded'])
  })

  it('does not tell a worker to stop that leaves already', () => {
    const leaving = after(running(1), reload(1), isReady(2))
    expect(after({ ...leaving, commands: [] }, { is: 'stop asked' }).commands).toEqual([{ do: 'stop', id: 2 }])
  })

  it('ends with 0 when it was told to stop and the last worker is gone', () => {
    const told = after(running(2), { is: 'stop asked' })
    expect(told.commands).toEqual([
      { do: 'stop', id: 1 },
      { do: 'stop', id: 2 },
    ])
    expect(ends(after(told, exits(2)))).toEqual([])
    expect(ends(after(told, exits(2), exits(1)))).toEqual([0])
  })

  /** One of the things that can happen now, chosen by a number. */
  const happening = (course: Course, choice: number, at: number, wanted: number): Event => {
    const possible: ReadonlyArray<Event> = [
      ...ids(course).map((id) => exits(id, at)),
      ...ids(course, 'starting').map(isReady),
      ...(course.state.pausing ? [{ is: 'pause over' } as const] : []),
      reload(wanted),
    ]
    return possible[choice % possible.length] ?? reload(wanted)
  }

  const anyCourse = fc
    .record({
      wanted: fc.integer({ min: 1, max: 4 }),
      choices: fc.array(fc.tuple(fc.nat({ max: 1000 }), fc.nat({ max: 20_000 })), { maxLength: 60 }),
    })
    .map(({ wanted, choices }) =>
      choices.reduce<{ readonly courses: ReadonlyArray<Course>; readonly at: number }>(
        ({ courses, at }, [choice, ms]) => {
          const last = courses.at(-1) ?? running(wanted)
          if (last.state.phase === 'stopping') return { courses, at }
          const now = { ...last, commands: [] }
          return { courses: [...courses, after(now, happening(now, choice, at + ms, wanted))], at: at + ms }
        },
        { courses: [running(wanted)], at: 0 },
      ),
    )
    .map(({ courses }) => courses)

  it('never has more than one worker too many that is not leaving, whatever happens', () => {
    fc.assert(
      fc.property(anyCourse, (courses) => {
        for (const course of courses) {
          expect(ids(course).length - ids(course, 'leaving').length).toBeLessThanOrEqual(course.state.wanted + 1)
        }
      }),
    )
  })

  it('never takes a ready worker away unless as many as it wants remain, whatever happens', () => {
    fc.assert(
      fc.property(anyCourse, (courses) => {
        for (const course of courses) {
          if (!course.commands.some((command) => command.do === 'retire')) continue
          expect(ids(course, 'ready').length).toBeGreaterThanOrEqual(course.state.wanted)
        }
      }),
    )
  })

  it('starts nobody in a pause, whatever happens', () => {
    fc.assert(
      fc.property(anyCourse, (courses) => {
        const started = courses
          .filter(({ state }) => state.pausing)
          .flatMap(({ commands }) => commands.filter((command) => command.do === 'start'))
        expect(started).toEqual([])
      }),
    )
  })

  it('comes to rest with exactly the workers it wants, all of one generation, whatever happened before', () => {
    fc.assert(
      fc.property(anyCourse, (courses) => {
        const last = courses.at(-1) ?? running(1)
        if (last.state.phase === 'stopping') return
        const { state } = settle(last)
        expect([state.workers.size, state.reloading]).toEqual([state.wanted, false])
        expect(new Set([...state.workers.values()].map(({ generation }) => generation))).toEqual(
          new Set([state.generation]),
        )
      }),
    )
  })

  it('starts nobody after it was told to stop, and ends exactly once', () => {
    fc.assert(
      fc.property(anyCourse, (courses) => {
        const last = courses.at(-1) ?? running(1)
        if (last.state.phase === 'stopping') return
        const told = after({ ...last, commands: [] }, { is: 'stop asked' })
        const gone = after(told, ...ids(told).map((id) => exits(id)), { is: 'pause over' }, { is: 'stop asked' })
        expect(gone.commands.filter((command) => command.do === 'start')).toEqual([])
        expect(ends(gone)).toEqual([0])
      }),
    )
  })
})
