import { isDeepStrictEqual } from 'node:util'
import { counted, type Tally } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { compareWorlds, type RawBackend, type ToldApart, visitPlan } from './compareWorlds.js'
import { worldPair } from './worldPair.js'

interface NonInterferenceOptions {
  /** How many pairs of worlds to compare. */
  readonly pairs: number
  /** Of fast-check: the same seed asks the same. */
  readonly seed: number
  /** Whether to look for the smallest pair when one is told apart; so it is where nothing else is said. */
  readonly shrink?: boolean
}

/** What a service was asked, and whether a visitor could tell two worlds apart. */
export interface NonInterferenceReport {
  /** Its name. */
  readonly backend: string
  /** How many pairs of worlds were compared and not told apart. */
  readonly pairs: number
  /** Pairs whose two worlds are not the same. */
  readonly differing: number
  /** To each world of a pair. */
  readonly requests: number
  /** How often each kind of answer came, of the first world of each pair. */
  readonly answers: Tally
  /** `none` when no pair was told apart. */
  readonly interference: O.Option<Interference>
}

/** The smallest pair and request found; `seed` and `path` are fast-check's, for a replay. */
export interface Interference extends ToldApart {
  readonly seed: number
  readonly path: string
}

/**
 * The law: what a visitor receives depends only on the settings and on the nodes that the visitor may see. Asks a
 * service about pairs of worlds which differ in nothing else, and compares status, headers and bytes.
 */
export const nonInterference = async (
  backend: RawBackend,
  { pairs, seed, shrink = true }: NonInterferenceOptions,
): Promise<NonInterferenceReport> => {
  let report = { backend: backend.name, pairs: 0, differing: 0, requests: 0, answers: {} as Tally }
  let smallest: O.Option<ToldApart> = O.none
  const plans = fc.array(visitPlan, { minLength: 1, maxLength: 7 })
  const property = fc.asyncProperty(plans, worldPair, async (planned, worlds) => {
    const { kinds, toldApart } = await compareWorlds(
      backend,
      worlds,
      planned.map((visit) => visit(worlds)),
    )
    if (O.isSome(toldApart)) smallest = toldApart
    // From the first failure on, fast-check only looks for a smaller one.
    if (O.isSome(smallest)) return O.isNone(toldApart)
    report = {
      ...report,
      pairs: report.pairs + 1,
      differing: report.differing + (isDeepStrictEqual(...worlds) ? 0 : 1),
      requests: report.requests + kinds.length,
      answers: counted(report.answers, kinds),
    }
    return true
  })
  const run = await fc.check(property, { numRuns: pairs, seed, endOnFailure: !shrink })
  // What fails without a difference is the backend, or this property itself.
  if (run.failed && O.isNone(smallest)) throw run.errorInstance
  const replayed = (toldApart: ToldApart): Interference => ({
    ...toldApart,
    seed: run.seed,
    path: run.counterexamplePath ?? '',
  })
  return { ...report, interference: O.map(replayed)(smallest) }
}
