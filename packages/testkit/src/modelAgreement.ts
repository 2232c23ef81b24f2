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
  /** Lower bound of the requests. */
  readonly requests: number
  /** For fast-check: equal seeds send equal requests. */
  readonly seed: number
  readonly asksPerWorld: number
  /** Adds locked directories and dead entries. Only for a backend that can seed them. */
  readonly faults?: boolean
}

/** Counts of a run up to the first disagreement with the model. */
interface AgreementReport {
  /** Requests with the answer of the model. */
  readonly requests: number
  /** Worlds that were seeded for these requests. */
  readonly worlds: number
  readonly answers: Tally
  readonly disagreement: O.Option<Disagreement>
}

/** The smallest world and request that fast-check found; `seed` and `path` replay it. */
interface Disagreement {
  readonly world: World
  readonly ask: Ask
  readonly expected: Answer
  readonly got: Answer
  readonly seed: number
  readonly path: string
}

type Difference = Omit<Disagreement, 'seed' | 'path'>

/** Answers per kind. */
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
  ['{"type":"end"}', 'no lines'],
  ['{"type":"file","path"', 'lines'],
  ['{"type":"dir","path"', 'lines'],
] as const

/** Reports count kinds, so that a run with failures only is noticed. */
export const answerKind = (answer: Answer): string => {
  if ('error' in answer) return answer.error
  const { body } = answer
  const [, kind] = successes.find(([beginning]) => body.startsWith(beginning)) ?? []
  return kind ?? (body.includes('"content":[{') ? 'tree' : 'tree of one directory')
}

/** Compares a backend with the model: sends requests to generated worlds, and compares each body byte for byte. */
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
        // An exception is a disagreement, too.
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
    // After the first failure, fast-check only searches for a smaller one.
    if (O.isSome(smallest)) return true
    report.requests += kinds.length
    report.worlds += 1
    report.answers = counted(report.answers, kinds)
    return true
  })
  const run = await fc.check(property, { numRuns: Math.ceil(requests / asksPerWorld), seed })
  // Seeding failed, or this property has a bug.
  if (run.failed && O.isNone(smallest)) throw run.errorInstance
  const replay = { seed: run.seed, path: run.counterexamplePath ?? '' }
  return { ...report, disagreement: O.map((found: Difference) => ({ ...found, ...replay }))(smallest) }
}
