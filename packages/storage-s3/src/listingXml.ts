import { type ObjectFields, textOf } from './keys.js'

/** An object on a page. */
interface ListedObject extends ObjectFields {
  /** As the store spells it. */
  readonly key: string
}

/** A response to ListObjectsV2, before any check. Keys and prefixes are bytes of UTF-8, one character each. */
export interface StoreListing {
  readonly objects: ReadonlyArray<ListedObject>
  readonly commonPrefixes: ReadonlyArray<string>
  /** Whether keys and prefixes are percent-encoded. */
  readonly isEncoded: boolean
  /** `undefined` if the store does not count. */
  readonly keyCount: number | undefined
  /** `undefined` on the last page. */
  readonly token: string | undefined
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (entity, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? entity
    const character = String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
    return Buffer.from(character).toString('latin1')
  })

/** Returns the text of the first element of this name. */
const elementText = (xml: string, name: string): string | undefined => {
  const tag = xml.indexOf(`<${name}>`)
  if (tag < 0) return undefined
  const start = tag + name.length + 2
  const text = xml.slice(start, xml.indexOf('<', start))
  return text.includes('&') ? unescaped(text) : text
}

const objectOf = (xml: string): ListedObject | undefined => {
  const key = elementText(xml, 'Key')
  const size = Number(elementText(xml, 'Size') ?? Number.NaN)
  const modified = Math.max(0, Math.floor(Date.parse(elementText(xml, 'LastModified') ?? '') / 1000))
  return key === undefined || Number.isNaN(size + modified) ? undefined : { key, size, modified }
}

/**
 * Splits a page into objects and the other text; `undefined` if an object is incomplete. Decodes each object by itself, because a
 * text as long as the page would fill the old space of V8, and its keys would keep the whole page in memory.
 */
const splitObjects = (page: Buffer): { objects: ReadonlyArray<ListedObject>; others: string } | undefined => {
  const objects: Array<ListedObject> = []
  let others = ''
  let start = 0
  for (let end = page.indexOf(objectEnd); end >= 0; end = page.indexOf(objectEnd, start)) {
    const [before, content] = page.toString('latin1', start, end).split('<Contents>')
    const object = content === undefined ? undefined : objectOf(content)
    if (object === undefined) return undefined
    objects.push(object)
    others += before
    start = end + objectEnd.length
  }
  return { objects, others: others + page.toString('latin1', start) }
}

const objectEnd = '</Contents>'

/**
 * Parses a page; `undefined` if the text is no whole listing. The parser of the SDK takes several times longer, and leaves 4 KB
 * of garbage for each object.
 */
export const parseListing = (page: Buffer): StoreListing | undefined => {
  const split = splitObjects(page)
  if (split === undefined || !split.others.includes('</ListBucketResult>')) return undefined
  const { objects, others } = split
  const commonPrefixes: Array<string> = []
  for (const text of others.split('<CommonPrefixes>').slice(1)) {
    const prefix = elementText(text, 'Prefix')
    if (prefix === undefined) return undefined
    commonPrefixes.push(prefix)
  }
  const isTruncated = elementText(others, 'IsTruncated')
  const token = isTruncated === 'true' ? elementText(others, 'NextContinuationToken') : undefined
  const keyCount = elementText(others, 'KeyCount')
  return token === undefined && isTruncated !== 'false'
    ? undefined
    : {
        objects,
        commonPrefixes,
        isEncoded: elementText(others, 'EncodingType') === 'url',
        keyCount: keyCount === undefined ? undefined : Number(keyCount),
        token: token === undefined ? undefined : textOf(token),
      }
}
