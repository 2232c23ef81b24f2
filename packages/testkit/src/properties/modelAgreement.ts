import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import type { Ask } from '../Ask.js'
import { askOf } from '../arbitraries/askOf.js'
import { type AskPlan, askPlan } from '../arbitraries/askPlan.js'
import { world } from '../arbitraries/world.js'
import { type Door, diskBounds, type OpenDoor } from '../doors/Door.js'
import { model } from '../model/model.js'
import type { Answer } from '../scenarios/Scenario.js'
import type { World } from '../World.js'
import { answerKind } from './answerKind.js'
import * as Tally from './Tally.js'

export interface ModelAgreementOptions {
  /** How many requests to ask at least. */
  readonly requests: number
  /** Of fast-check: the same seed asks the same. */
  readonly seed: number
  /** How many requests a world is asked, on average. */
  readonly asksPerWorld: number
  /** Whether worlds have locked directories and dead entries: only for a door behind which these can be planted. */
  readonly faults?: boolean
}

/** What was asked of a door, and where it first disagreed with the model. */
export interface AgreementReport {
  /** Its name. */
  readonly door: string
  /** How many requests were answered as the model says. */
  readonly requests: number
  /** How many worlds were planted for them. */
  readonly worlds: number
  /** How often each kind of answer came. */
  readonly answers: Tally.Tally
  /** `none` when it never disagreed. */
  readonly disagreement: O.Option<Disagreement>
}

/** The smallest world and request found; `seed` and `path` are fast-check's, for a replay. */
export interface Disagreement extends Difference {
  readonly seed: number
  readonly path: string
}

interface Difference {
  readonly world: World
  readonly ask: Ask
  readonly expected: Answer
  readonly got: Answer
}

const sameAnswer = (one: Answer, other: Answer): boolean =>
  'error' in one ? 'error' in other && one.error === other.error : 'body' in other && one.body === other.body

/** A door that gives no answer disagrees with the model, too. */
const askSafely = async (door: OpenDoor, ask: Ask): Promise<Answer> => {
  try {
    return await door.ask(ask)
  } catch (thrown) {
    return { body: `no answer: ${String(thrown)}` }
  }
}

interface Compared {
  readonly kinds: ReadonlyArray<string>
  readonly difference: O.Option<Difference>
}

const compare = async (door: Door, planted: World, asks: ReadonlyArray<Ask>): Promise<Compared> => {
  const kinds: Array<string> = []
  const opened = await door.open(planted)
  try {
    for (const ask of asks) {
      const expected = model(planted, ask)
      const got = await askSafely(opened, ask)
      if (!sameAnswer(expected, got)) return { kinds, difference: O.some({ world: planted, ask, expected, got }) }
      kinds.push(answerKind(got))
    }
    return { kinds, difference: O.none }
  } finally {
    await opened.close()
  }
}

/** A disk holds less than memory: see `Door.holdsEveryU64`. */
const boundsOf = ({ holdsEveryU64 }: Door, { faults = false }: ModelAgreementOptions) => ({
  ...(holdsEveryU64 ? {} : diskBounds),
  faults,
})

const plansOf = (asksPerWorld: number): fc.Arbitrary<ReadonlyArray<AskPlan>> =>
  fc.array(askPlan, { minLength: 1, maxLength: 2 * asksPerWorld - 1, size: 'max' })

const someWorlds = async (door: Door, worlds: number, options: ModelAgreementOptions): Promise<AgreementReport> => {
  let report: AgreementReport = { door: door.name, requests: 0, worlds: 0, answers: Tally.none, disagreement: O.none }
  let smallest: O.Option<Difference> = O.none
  const property = fc.asyncProperty(
    plansOf(options.asksPerWorld),
    world(boundsOf(door, options)),
    async (plans, planted) => {
      const { kinds, difference } = await compare(door, planted, plans.map(askOf(planted)))
      if (O.isSome(difference)) smallest = difference
      // From the first failure on, fast-check only looks for a smaller one.
      if (O.isSome(smallest)) return O.isNone(difference)
      report = {
        ...report,
        requests: report.requests + kinds.length,
        worlds: report.worlds + 1,
        answers: Tally.count(report.answers, kinds),
      }
      return true
    },
  )
  const run = await fc.check(property, { numRuns: worlds, seed: options.seed })
  // What fails without a difference is the door's planting, or this property itself.
  if (run.failed && O.isNone(smallest)) throw run.errorInstance
  const { seed, counterexamplePath } = run
  const told = (difference: Difference): Disagreement => ({ ...difference, seed, path: counterexamplePath ?? '' })
  return { ...report, disagreement: O.map(told)(smallest) }
}

const sum = (one: AgreementReport, other: AgreementReport): AgreementReport => ({
  door: one.door,
  requests: one.requests + other.requests,
  worlds: one.worlds + other.worlds,
  answers: Tally.sum(one.answers, other.answers),
  disagreement: other.disagreement,
})

/** Asks a door about generated worlds and compares each answer, byte for byte, with the reference model's. */
export const modelAgreement = async (door: Door, options: ModelAgreementOptions): Promise<AgreementReport> => {
  const worlds = Math.ceil(options.requests / options.asksPerWorld)
  const report = await someWorlds(door, worlds, options)
  const left = options.requests - report.requests
  // How many requests a world gets is drawn: ask on until there were enough.
  return O.isSome(report.disagreement) || left <= 0
    ? report
    : sum(report, await modelAgreement(door, { ...options, requests: left, seed: options.seed + 1 }))
}
