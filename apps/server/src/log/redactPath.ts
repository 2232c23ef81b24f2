/** Each well-formed escape, wherever it stands: one that is malformed must not hide the others. */
const decodedOnce = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** More than any client escapes. A long target could be escaped thousands of times, each as long to decode. */
const mostLayers = 8

/** `undefined` for what is still escaped then. */
const decoded = (text: string, layers = mostLayers): string | undefined => {
  const once = decodedOnce(text)
  return once === text ? text : layers === 0 ? undefined : decoded(once, layers - 1)
}

const token = /cnp_/i

/** 16 bytes in base64url, as `canopy trigger create` makes them. One that somebody chose looks like any name. */
const triggerId = /(?<![\w-])[\w-]{21}[AQgw](?![\w-])/

const shown = (segment: string): string => {
  const text = decoded(segment)
  if (text === undefined) return '[escapes]'
  return token.test(text) ? '[token]' : triggerId.test(text) ? '[trigger id]' : segment
}

/**
 * A path as a log may show it, or a message with a path in it: a segment that looks like a secret, in any spelling, is
 * replaced. Segments that stand where a secret belongs are not passed to this function at all.
 */
export const redactPath = (path: string): string => path.split('/').map(shown).join('/')
