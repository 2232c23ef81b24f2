const percent = (text: string, letters: 'lower' | 'upper'): string =>
  Array.from(text)
    .map(
      (character) =>
        `%${(character.codePointAt(0) ?? 0).toString(16)[letters === 'lower' ? 'toLowerCase' : 'toUpperCase']()}`,
    )
    .join('')

/** The ways in which a request may spell a secret, by name. */
export const spellings: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'percent-encoded': (secret) => percent(secret, 'lower'),
  'percent-encoded in upper case': (secret) => percent(secret, 'upper'),
  'encoded twice': (secret) => percent(percent(secret, 'lower'), 'lower'),
  'percent-encoded, with a malformed escape': (secret) => `${percent(secret, 'lower')}%`,
  'encoded twice in upper case': (secret) => encodeURIComponent(percent(secret, 'upper')),
}

/** Where in the sinks a part of a secret stands, in any spelling: `sink: spelling`. */
export const leaks = (sinks: Readonly<Record<string, string>>, secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(sinks).flatMap(([sink, text]) =>
    Object.entries(spellings)
      // A part is enough: what is cut off is a leak too.
      .filter(([, spell]) => secrets.some((secret) => text.includes(spell(secret.slice(4, 12)))))
      .map(([spelling]) => `${sink}: ${spelling}`),
  )
