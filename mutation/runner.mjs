import { expect, test } from 'vitest'
import { VitestTestRunner } from 'vitest/runners'

/** Reports a file that cannot be loaded as a failing test, because Stryker counts tests alone. */
export default class Runner extends VitestTestRunner {
  async importFile(file, source) {
    try {
      return await super.importFile(file, source)
    } catch (thrown) {
      if (source !== 'collect') throw thrown
      test('can be loaded', () => {
        expect(thrown).toBe(undefined)
      })
    }
  }
}
