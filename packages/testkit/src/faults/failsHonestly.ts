import { isDeepStrictEqual } from 'node:util'
import type { Answer } from '../scenarios/Scenario.js'

interface Shown {
  readonly content?: ReadonlyArray<Shown>
}

/** How many directories are not expanded that the whole tree expands; NaN where anything else differs. */
const notExpanded = ({ content: all, ...whole }: Shown, { content, ...shown }: Shown): number => {
  if (!isDeepStrictEqual(shown, whole)) return Number.NaN
  if (content === undefined) return all === undefined ? 0 : 1
  if (content.length !== all?.length) return Number.NaN
  return all.reduce((sum, child, index) => sum + notExpanded(child, content[index] ?? {}), 0)
}

const treeIn = (answer: Answer): Shown => ('body' in answer ? JSON.parse(answer.body).content : {})

/**
 * Whether an answer may be given when one call of a port has failed: `external`, or a tree that is the whole one but for one
 * directory, which is not expanded.
 */
export const failsHonestly = (answer: Answer, whole: Answer): boolean =>
  'error' in answer ? answer.error === 'external' : notExpanded(treeIn(whole), treeIn(answer)) === 1
