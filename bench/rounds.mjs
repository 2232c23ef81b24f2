import { progress } from './progress.mjs'

/** Each round begins with another one. */
export const rotated = (all, by) => all.map((_, index) => all[(index + by) % all.length])

/**
 * Every round measures each subject once, beginning with another each time. Gives the results by subject, in the order
 * of the subjects, each in the order of the rounds.
 */
export const rounds = async (count, subjects, measure) => {
  const results = new Map(subjects.map((subject) => [subject, []]))
  for (let round = 0; round < count; round += 1) {
    for (const subject of rotated(subjects, round)) {
      const result = await measure(subject, round)
      results.get(subject).push(result)
    }
    progress(`round ${round + 1} of ${count}`)
  }
  return subjects.map((subject) => results.get(subject))
}
