import type { Law } from '../../src/laws/Law.js'

/** A subject that breaks a law, or several. */
export type BrokenBy<Break> = Readonly<Record<string, Break | ReadonlyArray<Break>>>

/** Returns what the law judges wrongly: the reference if it violates the law, and broken subjects that do not. */
export const misjudged = async <Subject, Break>(
  { name, violations }: Law<Subject>,
  seedBroken: (broken?: Break) => Subject,
  brokenBy: BrokenBy<Break>,
): Promise<ReadonlyArray<string>> => {
  const broken = [brokenBy[name] ?? []].flat() as ReadonlyArray<Break>
  if (broken.length === 0) return ['no subject breaks the law']
  const wrong = [...(await violations(seedBroken()))]
  for (const [index, breaks] of broken.entries())
    if ((await violations(seedBroken(breaks))).length === 0) wrong.push(`subject ${index} passes`)
  return wrong
}
