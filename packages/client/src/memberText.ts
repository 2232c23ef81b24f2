import * as O from 'fp-ts/lib/Option.js'

const blank = new Set([' ', '\n', '\r', '\t'])
const ends = new Set([',', '}', ']'])

const skipBlank = (json: string, at: number): number => {
  let i = at
  while (blank.has(json.charAt(i))) i += 1
  return i
}

/** From an opening quote to behind the closing one. */
const skipString = (json: string, at: number): number => {
  let i = at + 1
  while (i < json.length && json.charAt(i) !== '"') i += json.charAt(i) === '\\' ? 2 : 1
  return i + 1
}

const skipScalar = (json: string, at: number): number => {
  let i = at
  while (i < json.length && !ends.has(json.charAt(i)) && !blank.has(json.charAt(i))) i += 1
  return i
}

const skipValue = (json: string, at: number): number => {
  const first = json.charAt(at)
  if (first === '"') return skipString(json, at)
  if (first !== '{' && first !== '[') return skipScalar(json, at)
  let depth = 0
  let i = at
  do {
    const character = json.charAt(i)
    if (character === '{' || character === '[') depth += 1
    if (character === '}' || character === ']') depth -= 1
    i = character === '"' ? skipString(json, i) : i + 1
  } while (depth > 0 && i < json.length)
  return i
}

/**
 * The text of one member of a JSON object, character by character as it stands there; the last one where the name
 * stands twice, as JSON.parse reads it. The text must be well-formed JSON of an object: parse it first.
 */
export const memberText = (json: string, name: string): O.Option<string> => {
  let found: O.Option<string> = O.none
  let i = skipBlank(json, skipBlank(json, 0) + 1)
  while (json.charAt(i) === '"') {
    const keyEnd = skipString(json, i)
    const start = skipBlank(json, skipBlank(json, keyEnd) + 1)
    const end = skipValue(json, start)
    if (JSON.parse(json.slice(i, keyEnd)) === name) found = O.some(json.slice(start, end))
    i = skipBlank(json, skipBlank(json, end) + 1)
  }
  return found
}
