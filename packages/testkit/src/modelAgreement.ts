import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { askOf, askPlan } from './arbitraries/arbitraries.js'
import { world } from './arbitraries/worlds.js'
import { type Backend, diskBounds } from './backends/Backend.js'
import { model } from './model.js'
import type { Answer, Ask } from './scenarios/Scenario.js'
import type { World } from './World.js'

interface ModelAgreementOptions {
  /** How many requests to ask at least. */
  readonly requests: number
  /** Of fast-check: the same seed asks the same. */
  readonly seed: number
  /** How many requests a world is asked. */
  readonly asksPerWorld: number
  /** Whether worlds have locked directories and dead entries: only for a backend in which these can be seeded. */
  readonly faults?: boolean
}

/** What was asked of a backend, and where it first disagreed with the model. */
interface AgreementReport {
  /** How many requests were answered as the model says. */
  readonly requests: number
  /** How many worlds were seeded for them. */
  readonly worlds: number
  readonly answers: Tally
  /** `none` when it never disagreed. */
  readonly disagreement: O.Option<Disagreement>
}

/** The smallest world and request found; `seed` and `path` are fast-check's, for a replay. */
interface Disagreement {
  readonly world: World
  readonly ask: Ask
  readonly expected: Answer
  readonly got: Answer
  readonly seed: number
  readonly path: string
}

type Difference = Omit<Disagreement, 'seed' | 'path'>

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

/** Asks a backend about generated worlds and compares each answer, byte for byte, with the reference model's. */
export const modelAgreement = async (
  backend: Backend,
  { requests, seed, asksPerWorld, faults = false }: ModelAgreementOptions,
): Promise<AgreementReport> => {
  const report = { requests: 0, worlds: 0, answers: {} as Tally }
  let smallest = O.none as O.Option<Difference>
  const plans = fc.array(askPlan, { minLength: asksPerWorld, maxLength: asksPerWorld })
  const worlds = world({ ...(backend.holdsEveryU64 ? {} : diskBounds), faults })
  const property = fc.asyncProperty(plans, worlds, async (planned, seeded) => {
    const kinds: Array<string> = []
    const opened = await backend.open(seeded)
    try {
      for (const ask of planned.map(askOf(seeded))) {
        const expected = model(seeded, ask)
        // A backend that gives no answer disagrees with the model, too.
        const got = await opened.ask(ask).catch((thrown): Answer => ({ body: `no answer: ${String(thrown)}` }))
        if (!isDeepStrictEqual(expected, got)) {
          smallest = O.some({ world: seeded, ask, expected, got })
          return false
        }
        kinds.push(answerKind(got))
      }
    } finally {
      await opened.close()
    }
    // From the first failure on, fast-check only looks for a smaller one.
    if (O.isSome(smallest)) return true
    report.requests += kinds.length
    report.worlds += 1
    report.answers = counted(report.answers, kinds)
    return true
  })
  const run = await fc.check(property, { numRuns: Math.ceil(requests / asksPerWorld), seed })
  // What fails without a difference is the backend's seeding, or this property itself.
  if (run.failed && O.isNone(smallest)) throw run.errorInstance
  const replay = { seed: run.seed, path: run.counterexamplePath ?? '' }
  return { ...report, disagreement: O.map((found: Difference) => ({ ...found, ...replay }))(smallest) }
}
