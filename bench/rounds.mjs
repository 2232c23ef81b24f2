import { progress } from './processes.mjs'

/**
 * Every round measures each subject once, beginning with another each time. Gives the results by subject, in the order
 * of the subjects, each in the order of the rounds.
 */
export const rounds = async (count, subjects, measure) => {
  const results = new Map(subjects.map((subject) => [subject, []]))
  for (let round = 0; round < count; round += 1) {
    for (const at of subjects.keys()) {
      const subject = subjects[(at + round) % subjects.length]
      results.get(subject).push(await measure(subject, round))
    }
    progress(`round ${round + 1} of ${count}`)
  }
  return subjects.map((subject) => results.get(subject))
}
