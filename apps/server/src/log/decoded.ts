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
