import { expect } from 'vitest'
import type { Law } from '../../src/laws/Law.js'

/** Checks that the law holds for the reference and for none of the subjects that break it. */
export const detects = async <Subject, Break>(
  { violations }: Law<Subject>,
  seedBroken: (broken?: Break) => Subject,
  broken: Readonly<Record<string, Break>> = {},
): Promise<void> => {
  expect(await violations(seedBroken())).toEqual([])
  expect(Object.keys(broken)).not.toEqual([])
  for (const [what, breaks] of Object.entries(broken))
    expect([what, await violations(seedBroken(breaks))]).not.toEqual([what, []])
}
