import type { Failure, operations } from '@canopy/domain'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type { Operation } from '../Operation.js'

type FailureOf<Of extends Operation> =
  ReturnType<(typeof operations)[Of]> extends RTE.ReaderTaskEither<never, infer F extends Failure.Failure, unknown>
    ? F['error']
    : never

type Column<Of extends Operation> = { readonly [Name in FailureOf<Of>]: null }

const ofStorage: Column<'storageTree' | 'storageDirItems'> = {
  'invalid token': null,
  'not verified': null,
  'permission denied': null,
  'file not found': null,
  'type mismatch': null,
  external: null,
}

const ofUserContent: Column<'userContentTree' | 'userContentDirItems'> = {
  'permission denied': null,
  'file not found': null,
  'type mismatch': null,
  external: null,
}

/** The interface, part 7. A name too many or too few, by what the operations really fail with, does not compile. */
const columns: { readonly [Of in Operation]: Column<Of> } = {
  storageTree: ofStorage,
  userContentTree: ofUserContent,
  storageDirItems: ofStorage,
  userContentDirItems: ofUserContent,
  triggerPeek: { 'trigger not found': null, external: null },
}

/** The errors of an operation, in the order of part 7. */
export const failuresOf = (operation: Operation): ReadonlyArray<Failure.FailureName> =>
  Object.keys(columns[operation]) as ReadonlyArray<Failure.FailureName>

/** Every area has a root, and it is a directory: where it is missing, the storage failed. */
const neverOfRoot: ReadonlyArray<Failure.FailureName> = ['file not found', 'type mismatch']

export const failuresOfRoot = (operation: Operation): ReadonlyArray<Failure.FailureName> =>
  failuresOf(operation).filter((name) => !neverOfRoot.includes(name))
