import { StoragePath } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PlantedStorage } from '../Subject.js'
import { saidName } from './said.js'

/** Something that must be so in what was planted: every violation as a sentence. */
export type Claim = (planted: PlantedStorage) => Promise<ReadonlyArray<string>>

export const unless = (holds: boolean, violation: string): ReadonlyArray<string> => (holds ? [] : [violation])

const throwing =
  (text: string) =>
  (thrown: unknown): ReadonlyArray<string> => [`asked for ${saidName(text)}, a port must not throw ${String(thrown)}`]

/** A claim about one path, spelled as in `StoragePath`. */
export const at = (text: string, claim: (path: StoragePath.StoragePath) => Claim): Claim =>
  pipe(
    StoragePath.fromString(text),
    O.match(
      (): Claim => async () => [`the law itself is wrong: ${saidName(text)} is no storage path`],
      (path) => (planted) => claim(path)(planted).catch(throwing(text)),
    ),
  )

/** The same of the other area. */
export const inTheOther =
  (claim: Claim): Claim =>
  async (planted) =>
    (await claim({ ...planted, area: planted.other })).map((violation) => `in the other area: ${violation}`)

/** All of them, one after the other. */
export const all =
  (claims: ReadonlyArray<Claim>): Claim =>
  async (planted) => {
    const violations: Array<string> = []
    for (const claim of claims) violations.push(...(await claim(planted)))
    return violations
  }
