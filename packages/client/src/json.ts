/** A JSON value that keeps every digit: an integer beyond 2^53 is a bigint. */
export type JsonValue = null | boolean | number | bigint | string | ReadonlyArray<JsonValue> | JsonObject

export interface JsonObject {
  readonly [name: string]: JsonValue
}

export interface ParsedJson {
  readonly value: JsonValue
  /** Returns the source text of a member of the outermost object; empty if there is no such member. */
  readonly sourceOf: (member: string) => string
}

type ParseNumber = (digits: string) => number | bigint

/** Returns every u64 as a bigint, any other number as a number, so that 1.0 differs from 1. */
export const parseU64: ParseNumber = (digits) =>
  /^(?:0|[1-9]\d{0,19})$/.test(digits) ? BigInt(digits) : Number(digits)

/** Integers of up to 1,000 digits as bigints where a number would round them, any other number as a number. */
export const parseExactInteger: ParseNumber = (digits) =>
  /^-?\d{16,1000}$/.test(digits) && !Number.isSafeInteger(Number(digits)) ? BigInt(digits) : Number(digits)

/** The deepest tree has 255 directories, which is 512 levels of JSON. The bound keeps the stack small. */
const maxLevels = 1000

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]
const [space, tab, lineFeed, carriageReturn] = [0x20, 0x09, 0x0a, 0x0d]
const [letterT, letterF, letterN] = [0x74, 0x66, 0x6e]

const fail = (): never => {
  throw new SyntaxError('not JSON')
}

/**
 * A recursive descent over one text. Instead of it, lossless-json would take 2.3 KB of a page, compressed, where this takes 1.0,
 * would be the client's only dependency, and would not return the source text of a member.
 */
class JsonReader {
  /** Where the members of the outermost object begin and end. */
  readonly members = new Map<string, readonly [start: number, end: number]>()
  private readonly text: string
  private readonly parseNumber: ParseNumber
  private index = 0

  constructor(text: string, parseNumber: ParseNumber) {
    this.text = text
    this.parseNumber = parseNumber
  }

  readDocument(): JsonValue {
    const value = this.readValue(1)
    this.skipSpace()
    return this.index < this.text.length ? fail() : value
  }

  private readValue(level: number): JsonValue {
    if (level > maxLevels) fail()
    switch (this.skipSpace()) {
      case quote:
        return this.readString()
      case openBrace:
        return this.readObject(level)
      case openBracket:
        return this.readArray(level)
      case letterT:
        return this.readWord('true', true)
      case letterF:
        return this.readWord('false', false)
      case letterN:
        return this.readWord('null', null)
      default:
        return this.readNumber()
    }
  }

  private readObject(level: number): JsonObject {
    const object: Record<string, JsonValue> = {}
    this.index += 1
    if (this.skipSpace() === closeBrace) return this.readWord('}', object)
    do {
      if (this.skipSpace() !== quote) fail()
      const name = this.readString()
      if (this.skipSpace() !== colon) fail()
      this.index += 1
      this.skipSpace()
      const start = this.index
      const value = this.readValue(level + 1)
      if (level === 1) this.members.set(name, [start, this.index])
      // Assigning `__proto__` would set the prototype instead of a member.
      if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, writable: true })
      else object[name] = value
    } while (this.hasNext(closeBrace))
    return object
  }

  private readArray(level: number): ReadonlyArray<JsonValue> {
    const array: Array<JsonValue> = []
    this.index += 1
    if (this.skipSpace() === closeBracket) return this.readWord(']', array)
    do array.push(this.readValue(level + 1))
    while (this.hasNext(closeBracket))
    return array
  }

  private readString(): string {
    const { text } = this
    const start = this.index
    let end = start + 1
    for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(end)) {
      if (end >= text.length) fail()
      end += code === backslash ? 2 : 1
    }
    this.index = end + 1
    return JSON.parse(text.slice(start, this.index))
  }

  private readNumber(): number | bigint {
    numberPattern.lastIndex = this.index
    const [digits] = numberPattern.exec(this.text) ?? fail()
    this.index = numberPattern.lastIndex
    return this.parseNumber(digits)
  }

  private readWord<A>(word: string, value: A): A {
    if (!this.text.startsWith(word, this.index)) fail()
    this.index += word.length
    return value
  }

  /** Consumes a comma (true) or the closing character (false). */
  private hasNext(close: number): boolean {
    const code = this.skipSpace()
    this.index += 1
    return code === comma || (code !== close && fail())
  }

  /** Returns the code of the first character after white space. */
  private skipSpace(): number {
    const { text } = this
    let code = text.charCodeAt(this.index)
    while (code === space || code === lineFeed || code === carriageReturn || code === tab) {
      this.index += 1
      code = text.charCodeAt(this.index)
    }
    return code
  }
}

/**
 * Parses as `JSON.parse` does (the last of two members with one name wins), but passes the digits of numbers to
 * `parseNumber`. Throws on text that is not JSON or has more than 1,000 levels.
 */
export const parseJson = (text: string, parseNumber: ParseNumber): ParsedJson => {
  const reader = new JsonReader(text, parseNumber)
  const value = reader.readDocument()
  return { value, sourceOf: (member) => text.slice(...(reader.members.get(member) ?? [0, 0])) }
}
