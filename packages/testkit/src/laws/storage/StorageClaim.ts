import { StoragePath } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Claim } from '../Claim.js'
import { unlessUnanswered } from '../inTime.js'
import type { PlantedStorage } from '../Subject.js'
import { saidName } from './said.js'

export type StorageClaim = Claim<PlantedStorage>

export const unless = (holds: boolean, violation: string): ReadonlyArray<string> => (holds ? [] : [violation])

const throwing = (text: string) =>
  unlessUnanswered((thrown) => `asked for ${saidName(text)}, a port must not throw ${String(thrown)}`)

/** A claim about one path, spelled as in `StoragePath`. */
export const at = (text: string, claim: (path: StoragePath.StoragePath) => StorageClaim): StorageClaim =>
  pipe(
    StoragePath.fromString(text),
    O.match(
      (): StorageClaim => async () => [`the law itself is wrong: ${saidName(text)} is no storage path`],
      (path) => (planted) => claim(path)(planted).catch(throwing(text)),
    ),
  )

/** The same of the other area. */
export const inTheOther =
  (claim: StorageClaim): StorageClaim =>
  async (planted) =>
    (await claim({ ...planted, area: planted.other })).map((violation) => `in the other area: ${violation}`)

/** The same of an area in the same place that belongs to another account. */
export const ofAnotherOwner =
  (claim: StorageClaim): StorageClaim =>
  async (planted) =>
    (await claim({ ...planted, area: { ...planted.area, owner: planted.other.owner } })).map(
      (violation) => `of another owner: ${violation}`,
    )
