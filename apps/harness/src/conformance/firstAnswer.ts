import { causeOf } from '@canopy/installation'
import { BaseUrl, fixtureTokens, type RawResponse, target } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { failed, type Refusal } from '../Refusal.js'
import * as Asking from './Asking.js'

const ownersRoot = target({ operation: 'storageTree', credential: fixtureTokens.owner, path: '', depth: 0 })

const notesOn = ({ status }: RawResponse): ReadonlyArray<string> =>
  status === 401
    ? [
        'the service does not know the tokens of the fixture. Plant it with `canopy-harness fixture`; another ' +
          'implementation plants what `canopy-harness fixture --describe` prints, and gives its own tokens by --credentials',
      ]
    : []

/** Asks once, so that a service which is not there is told once. Gives what its answer says about the fixture. */
export const firstAnswer = (asking: Asking.Asking): TE.TaskEither<Refusal, ReadonlyArray<string>> =>
  pipe(
    TE.tryCatch(
      () => Asking.send(asking)({ method: 'GET', target: ownersRoot }),
      (thrown) =>
        failed(
          `nothing answers at ${BaseUrl.toText(asking.service)} (${causeOf(thrown)}): start the service, or correct --url`,
        ),
    ),
    TE.map(notesOn),
  )
