import * as E from 'fp-ts/lib/Either.js'
import { findCeph, startCeph } from './ceph.js'
import type { Environment } from './daemon.js'
import type { ObjectStore } from './objectStore.js'
import { findSwift, startSwift } from './swift.js'

interface StoreToTest {
  readonly name: string
  readonly start: () => Promise<ObjectStore>
}

/** Returns the installed stores, and warns of the others. In CI, Ceph must be installed. */
export const storesToTest = (environment: Environment, untested: string): ReadonlyArray<StoreToTest> =>
  [
    { name: 'Ceph', start: startCeph, found: findCeph(environment), isRequired: environment['CI'] === 'true' },
    { name: 'Swift', start: startSwift, found: findSwift(environment), isRequired: false },
  ].filter(({ name, found, isRequired }) => {
    if (E.isRight(found) || isRequired) return true
    console.warn(`${untested} is not tested over ${name}. ${found.left}`)
    return false
  })
