/** A JSON value without loss of digits: an integer beyond 2^53 is a bigint. */
export type JsonValue = null | boolean | number | bigint | string | ReadonlyArray<JsonValue> | JsonObject

export interface JsonObject {
  readonly [name: string]: JsonValue
}

export interface Json {
  readonly json: JsonValue
  /** The text of a member of the outermost object, character by character. */
  readonly textOf: (member: string) => string
}

type ReadNumber = (digits: string) => number | bigint

/** Trees are at most 255 directories deep, which is 512 levels of JSON. The bound keeps the stack small. */
const maxLevels = 1000

const numbers = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** Every u64 as a bigint. Any other number as a number, so that 1.0 differs from 1. */
export const readU64: ReadNumber = (digits) => (/^(?:0|[1-9]\d{0,19})$/.test(digits) ? BigInt(digits) : Number(digits))

/** Integers that a number cannot hold exactly as bigints, up to 1,000 digits; any other number as the nearest number. */
export const readExact: ReadNumber = (digits) =>
  /^-?\d{16,1000}$/.test(digits) && !Number.isSafeInteger(Number(digits)) ? BigInt(digits) : Number(digits)

const fail = (): never => {
  throw new SyntaxError('not JSON')
}

/**
 * Reads JSON as `JSON.parse` does (the last of two members with one name counts), but leaves numbers to `readNumber`.
 * Throws on anything that is not JSON or has more than 1,000 levels.
 */
export const readJson = (text: string, readNumber: ReadNumber): Json => {
  const members = new Map<string, readonly [start: number, end: number]>()
  let at = 0

  /** Skips white space, and gives the code of the character after it. */
  const peek = (): number => {
    let code = text.charCodeAt(at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++at)
    return code
  }
  /** True when the next character is a comma, false when it is the closing one. */
  const more = (close: number): boolean => {
    const code = peek()
    at += 1
    return code === 0x2c || (code !== close && fail())
  }
  const string = (): string => {
    const start = at++
    for (let code = text.charCodeAt(at); code !== 0x22; code = text.charCodeAt(at)) {
      if (at >= text.length) fail()
      at += code === 0x5c ? 2 : 1
    }
    at += 1
    return JSON.parse(text.slice(start, at))
  }
  const number = (): number | bigint => {
    numbers.lastIndex = at
    const [digits] = numbers.exec(text) ?? fail()
    at = numbers.lastIndex
    return readNumber(digits)
  }
  const word = <A>(spelled: string, value: A): A => {
    if (!text.startsWith(spelled, at)) fail()
    at += spelled.length
    return value
  }
  const object = (level: number): JsonObject => {
    const read: Record<string, JsonValue> = {}
    at += 1
    if (peek() === 0x7d) return word('}', read)
    do {
      if (peek() !== 0x22) fail()
      const name = string()
      if (peek() !== 0x3a) fail()
      at += 1
      peek()
      const start = at
      const value = valueAt(level + 1)
      if (level === 1) members.set(name, [start, at])
      // Assigning `__proto__` would set the prototype instead of a member.
      if (name === '__proto__') Object.defineProperty(read, name, { value, enumerable: true, writable: true })
      else read[name] = value
    } while (more(0x7d))
    return read
  }
  const array = (level: number): ReadonlyArray<JsonValue> => {
    const read: Array<JsonValue> = []
    at += 1
    if (peek() === 0x5d) return word(']', read)
    do read.push(valueAt(level + 1))
    while (more(0x5d))
    return read
  }
  const valueAt = (level: number): JsonValue => {
    if (level > maxLevels) fail()
    switch (peek()) {
      case 0x22:
        return string()
      case 0x7b:
        return object(level)
      case 0x5b:
        return array(level)
      case 0x74:
        return word('true', true)
      case 0x66:
        return word('false', false)
      case 0x6e:
        return word('null', null)
      default:
        return number()
    }
  }

  const json = valueAt(1)
  peek()
  if (at < text.length) fail()
  return { json, textOf: (member) => text.slice(...(members.get(member) ?? [0, 0])) }
}
