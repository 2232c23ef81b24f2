import * as E from 'fp-ts/lib/Either.js'
import { findCeph, startCeph } from './ceph.js'
import type { ObjectStore } from './objectStore.js'
import { findSwift, startSwift } from './swift.js'

export interface StoreToTest {
  readonly name: string
  readonly start: () => Promise<ObjectStore>
}

const ceph: StoreToTest = { name: 'Ceph', start: startCeph }
const swift: StoreToTest = { name: 'Swift', start: startSwift }

/** Returns the installed stores, and warns of the others. In CI, Ceph must be installed. */
export const storesToTest = (
  environment: Readonly<Record<string, string | undefined>>,
  untested: string,
): ReadonlyArray<StoreToTest> => {
  const installed = (
    store: StoreToTest,
    found: E.Either<string, void>,
    mustBe: boolean,
  ): ReadonlyArray<StoreToTest> => {
    if (E.isRight(found) || mustBe) return [store]
    console.warn(`${untested} is not tested over ${store.name}. ${found.left}`)
    return []
  }
  return [
    ...installed(ceph, findCeph(environment), environment['CI'] === 'true'),
    ...installed(swift, findSwift(environment), false),
  ]
}
