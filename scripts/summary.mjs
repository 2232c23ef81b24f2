// Prints the last line of .ci/run: the counts of vitest's report, with at least one failure if any step failed.
import { readFileSync } from 'node:fs'

const [report, status] = process.argv.slice(2)

const counts = () => {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests }
  } catch {
    return { passed: 0, failed: 0 }
  }
}

const { passed, failed } = counts()
console.log(`${passed} passed, ${status === '0' ? failed : Math.max(failed, 1)} failed`)
