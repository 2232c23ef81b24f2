const isTagged = (u: unknown): u is { readonly '#integer': string } =>
  typeof u === 'object' && u !== null && '#integer' in u

const tagged = (token: string): string => (/^-?\d+$/.test(token) ? `{"#integer":"${token}"}` : token)

/** Reads JSON without losing a digit: integers become bigints. `JSON.parse` would round them to doubles. */
export const readJson = (text: string): unknown =>
  JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, tagged), (_, value: unknown) =>
    isTagged(value) ? BigInt(value['#integer']) : value,
  )
