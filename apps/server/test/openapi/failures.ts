import type { Failure, operations } from '@canopy/domain'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type { RefusalName } from '../../src/http/Refusal.js'
import type { Operation } from '../../src/routes.js'

type FailureOf<Of extends Operation> =
  ReturnType<(typeof operations)[Of]> extends RTE.ReaderTaskEither<never, infer F extends Failure.Failure, unknown>
    ? F['error']
    : never

type Names<Name extends string> = { readonly [Each in Name]: null }

const ofStorage: Names<FailureOf<'storageTree' | 'storageDirItems'>> = {
  'invalid token': null,
  'not verified': null,
  'permission denied': null,
  'file not found': null,
  'type mismatch': null,
  external: null,
}

const ofUserContent: Names<FailureOf<'userContentTree' | 'userContentDirItems'>> = {
  'permission denied': null,
  'file not found': null,
  'type mismatch': null,
  external: null,
}

/** The interface, part 7. A name too many or too few, by what the domain's operations fail with, does not compile. */
const byOperation: { readonly [Of in Operation]: Names<FailureOf<Of>> } = {
  storageTree: ofStorage,
  userContentTree: ofUserContent,
  storageDirItems: ofStorage,
  userContentDirItems: ofUserContent,
  triggerPeek: { 'trigger not found': null, external: null },
}

export const failuresOf = (operation: Operation): ReadonlyArray<string> => Object.keys(byOperation[operation])

const refusals: Names<RefusalName> = {
  ...ofStorage,
  'trigger not found': null,
  'no such route': null,
  'method not allowed': null,
  'bad request': null,
  'too many requests': null,
  overloaded: null,
}

/** Of every error that the server answers. */
export const allNames: ReadonlyArray<string> = Object.keys(refusals)
