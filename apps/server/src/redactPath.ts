/** Each well-formed escape, wherever it stands: one that is malformed must not hide the others. Shorter each time. */
const decoded = (text: string): string => {
  const once = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return once === text ? text : decoded(once)
}

const token = /cnp_/i

/** 16 bytes in base64url, as `canopy trigger create` makes them. One that somebody chose looks like any name. */
const triggerId = /(?<![\w-])[\w-]{21}[AQgw](?![\w-])/

const shown = (segment: string): string => {
  const text = decoded(segment)
  return token.test(text) ? '[token]' : triggerId.test(text) ? '[trigger id]' : segment
}

/**
 * A path as a log may show it, or a message with a path in it: a segment that looks like a secret, in any spelling, is
 * replaced. Segments that stand where a secret belongs are not passed to this function at all.
 */
export const redactPath = (path: string): string => path.split('/').map(shown).join('/')
