import type { _Object } from '@aws-sdk/client-s3'

/** A page of a listing without its objects, and the objects. */
export interface SplitListing {
  readonly xml: string
  readonly objects: ReadonlyArray<_Object>
}

const contents = /<Contents>([\s\S]*?)<\/Contents>/g

// Text with an entity, a line break or CDATA is left to the SDK.
const keyElement = /<Key>([^<&\r\n]+)<\/Key>/
const sizeElement = /<Size>(\d+)<\/Size>/
const timeElement = /<LastModified>([^<&\r\n]+)<\/LastModified>/

const textIn = (xml: string, element: RegExp): string => element.exec(xml)?.[1] ?? ''

/** Copies a string, because a slice keeps the whole page in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString()

const objectIn = (xml: string): _Object | undefined => {
  const [key, size, time] = [keyElement, sizeElement, timeElement].map((element) => textIn(xml, element))
  const modified = new Date(time ?? '')
  return key && size && !Number.isNaN(modified.getTime())
    ? { Key: copyOf(key), Size: Number(size), LastModified: modified }
    : undefined
}

/**
 * Takes the objects out of a listing, because the parser of the SDK leaves 4 KB of garbage for each. All objects stay in the
 * XML if one of them has an unusual form.
 */
export const splitListing = (xml: string): SplitListing => {
  const objects: Array<_Object> = []
  for (const [, content = ''] of xml.matchAll(contents)) {
    const object = objectIn(content)
    if (object === undefined) return { xml, objects: [] }
    objects.push(object)
  }
  return { xml: xml.replaceAll(contents, ''), objects }
}
