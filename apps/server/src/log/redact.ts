/** Each well-formed escape, wherever it stands: one that is malformed must not hide the others. */
const decodedOnce = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** More than any client escapes. A long target could be escaped thousands of times, each as long to decode. */
const mostLayers = 8

/** A text without its escapes, however often they are escaped; `undefined` for what is still escaped after some layers. */
export const decoded = (text: string, layers = mostLayers): string | undefined => {
  const once = decodedOnce(text)
  return once === text ? text : layers === 0 ? undefined : decoded(once, layers - 1)
}

/** The prefix of a token, or as many characters of base64url as follow it, alone or in a longer run. */
const token = /cnp_|[\w-]{43}/i

/** 16 bytes in base64url, as `canopy trigger create` makes them. One that an operator chose looks like any name. */
const triggerId = /(?<![\w-])[\w-]{21}[AQgw](?![\w-])/

/** What replaces a word that may hold a secret; `undefined` for any other word. */
const replacement = (word: string): string | undefined => {
  if (word.length < 22 && !word.includes('%') && !word.includes('_')) return undefined
  const text = decoded(word)
  if (text === undefined) return '[escapes]'
  // An encoded slash may stand in the middle of a secret.
  if (token.test(text) || token.test(text.replaceAll('/', ''))) return '[token]'
  return triggerId.test(text) ? '[trigger id]' : undefined
}

/** Whether a text without spaces holds what may be a token or a trigger id, in any spelling. */
export const holdsSecret = (text: string): boolean => replacement(text) !== undefined

/**
 * A text as the outside may see it: each word that looks like a token or a trigger id, in any spelling, is replaced. Hiding a
 * long name that is none does no harm; showing a secret does.
 */
export const redact = (text: string): string => text.replace(/[\w%-]+/g, (word) => replacement(word) ?? word)

/** What a secret looks like, loosely: few log lines hold it, and it is found three times as fast as every word is looked at. */
const suspect = /%|cnp_|(?<![\w-])(?:[\w-]{21,26}[AQgw](?![\w-])|[\w-]{43})/i

/** The same for JSON, which stays JSON: the letter of an escape such as `\n` is no part of the word behind it. */
export const redactJson = (json: string): string =>
  suspect.test(json)
    ? json.replace(/\\(?:u[0-9a-f]{4}|.)|[\w%-]+/gi, (word) =>
        word.startsWith('\\') ? word : (replacement(word) ?? word),
      )
    : json
