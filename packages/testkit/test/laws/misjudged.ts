import type { Law } from '../../src/laws/Law.js'

/** Returns the subjects that the law judges wrongly: the reference if it violates the law, and broken ones that do not. */
export const misjudged = async <Subject, Break>(
  { violations }: Law<Subject>,
  seedBroken: (broken?: Break) => Subject,
  broken: Readonly<Record<string, Break>> | undefined,
): Promise<ReadonlyArray<string>> => {
  if (broken === undefined) return ['no subject breaks the law']
  const wrong = [...(await violations(seedBroken()))]
  for (const [what, breaks] of Object.entries(broken))
    if ((await violations(seedBroken(breaks))).length === 0) wrong.push(what)
  return wrong
}
