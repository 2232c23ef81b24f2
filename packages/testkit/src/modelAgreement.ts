import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { type AskPlan, askOf, askPlan } from './arbitraries/arbitraries.js'
import { world } from './arbitraries/worlds.js'
import { type Backend, diskBounds, type OpenBackend } from './backends/Backend.js'
import { model } from './model.js'
import type { Answer, Ask } from './scenarios/Scenario.js'
import type { World } from './World.js'

interface ModelAgreementOptions {
  /** How many requests to ask at least. */
  readonly requests: number
  /** Of fast-check: the same seed asks the same. */
  readonly seed: number
  /** How many requests a world is asked, on average. */
  readonly asksPerWorld: number
  /** Whether worlds have locked directories and dead entries: only for a backend in which these can be seeded. */
  readonly faults?: boolean
}

/** What was asked of a backend, and where it first disagreed with the model. */
interface AgreementReport {
  /** The name of the backend. */
  readonly backend: string
  /** How many requests were answered as the model says. */
  readonly requests: number
  /** How many worlds were seeded for them. */
  readonly worlds: number
  readonly answers: Tally
  /** `none` when it never disagreed. */
  readonly disagreement: O.Option<Disagreement>
}

/** The smallest world and request found; `seed` and `path` are fast-check's, for a replay. */
interface Disagreement extends Difference {
  readonly seed: number
  readonly path: string
}

interface Difference {
  readonly world: World
  readonly ask: Ask
  readonly expected: Answer
  readonly got: Answer
}

/** How often each kind of answer came. */
export type Tally = Readonly<Record<string, number>>

export const counted = (tally: Tally, kinds: ReadonlyArray<string>): Tally => {
  const all = { ...tally }
  for (const kind of kinds) all[kind] = (all[kind] ?? 0) + 1
  return all
}

const successes = [
  ['{"type":"tree","content":{"type":"file"', 'tree of a file'],
  ['{"type":"dir content","content":[]', 'empty listing'],
  ['{"type":"dir content"', 'listing'],
  ['{"type":"trigger peak"', 'trigger'],
] as const

/** What sort of answer it is: so that a run which only ever sees failures does not pass for a good one. */
export const answerKind = (answer: Answer): string => {
  if ('error' in answer) return answer.error
  const { body } = answer
  const known = successes.find(([beginning]) => body.startsWith(beginning))
  return known?.[1] ?? (body.includes('"content":[{') ? 'tree' : 'tree of one directory')
}

const sameAnswer = (one: Answer, other: Answer): boolean =>
  'error' in one ? 'error' in other && one.error === other.error : 'body' in other && one.body === other.body

/** A backend that gives no answer disagrees with the model, too. */
const askSafely = async (backend: OpenBackend, ask: Ask): Promise<Answer> => {
  try {
    return await backend.ask(ask)
  } catch (thrown) {
    return { body: `no answer: ${String(thrown)}` }
  }
}

interface Compared {
  readonly kinds: ReadonlyArray<string>
  readonly difference: O.Option<Difference>
}

const compare = async (backend: Backend, seeded: World, asks: ReadonlyArray<Ask>): Promise<Compared> => {
  const kinds: Array<string> = []
  const opened = await backend.open(seeded)
  try {
    for (const ask of asks) {
      const expected = model(seeded, ask)
      const got = await askSafely(opened, ask)
      if (!sameAnswer(expected, got)) return { kinds, difference: O.some({ world: seeded, ask, expected, got }) }
      kinds.push(answerKind(got))
    }
    return { kinds, difference: O.none }
  } finally {
    await opened.close()
  }
}

const plansOf = (asksPerWorld: number): fc.Arbitrary<ReadonlyArray<AskPlan>> =>
  fc.array(askPlan, { minLength: 1, maxLength: 2 * asksPerWorld - 1, size: 'max' })

/** Asks a backend about generated worlds and compares each answer, byte for byte, with the reference model's. */
export const modelAgreement = async (
  backend: Backend,
  { requests, seed: firstSeed, asksPerWorld, faults = false }: ModelAgreementOptions,
): Promise<AgreementReport> => {
  let report: AgreementReport = { backend: backend.name, requests: 0, worlds: 0, answers: {}, disagreement: O.none }
  let smallest = O.none as O.Option<Difference>
  const worlds = world({ ...(backend.holdsEveryU64 ? {} : diskBounds), faults })
  const property = fc.asyncProperty(plansOf(asksPerWorld), worlds, async (plans, seeded) => {
    const { kinds, difference } = await compare(backend, seeded, plans.map(askOf(seeded)))
    if (O.isSome(difference)) smallest = difference
    // From the first failure on, fast-check only looks for a smaller one.
    if (O.isSome(smallest)) return O.isNone(difference)
    report = {
      ...report,
      requests: report.requests + kinds.length,
      worlds: report.worlds + 1,
      answers: counted(report.answers, kinds),
    }
    return true
  })
  // How many requests a world gets is drawn: ask on until there were enough.
  for (let seed = firstSeed; report.requests < requests; seed += 1) {
    const numRuns = Math.ceil((requests - report.requests) / asksPerWorld)
    const run = await fc.check(property, { numRuns, seed })
    if (O.isSome(smallest)) {
      const disagreement = { ...smallest.value, seed: run.seed, path: run.counterexamplePath ?? '' }
      return { ...report, disagreement: O.some(disagreement) }
    }
    // What fails without a difference is the backend's seeding, or this property itself.
    if (run.failed) throw run.errorInstance
  }
  return report
}
