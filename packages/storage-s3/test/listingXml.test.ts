import { describe, expect, it } from 'vitest'
import { splitListing } from '../src/listingXml.js'

const object = (key: string) =>
  `<Contents><Key>${key}</Key><LastModified>2026-11-28T03:33:31.740Z</LastModified><ETag>&quot;e&quot;</ETag><Size>7</Size></Contents>`
const listing = (...keys: ReadonlyArray<string>) =>
  `<ListBucketResult><Name>b</Name>${keys.map(object).join('\n')}<KeyCount>${keys.length}</KeyCount></ListBucketResult>`

describe('splitListing', () => {
  it('takes the objects out of the XML', () => {
    const { xml, objects } = splitListing(listing('a%20b', 'c/d'))
    const others = { Size: 7, LastModified: new Date('2026-11-28T03:33:31.740Z') }
    expect(objects).toEqual([
      { Key: 'a%20b', ...others },
      { Key: 'c/d', ...others },
    ])
    expect(xml).toBe('<ListBucketResult><Name>b</Name>\n<KeyCount>2</KeyCount></ListBucketResult>')
  })

  it.each([
    ['a key with an entity', listing('a', 'b&amp;c')],
    ['a key in CDATA', listing('a', '<![CDATA[b]]>')],
    ['a key with a line break', listing('a\nb', 'c')],
    ['an object without a size', listing('a').replace('<Size>7</Size>', '')],
    ['an unreadable time', listing('a').replace('2026', 'MMXXVI')],
    ['an object that is cut off', listing('a').slice(0, 40)],
    ['a page of HTML', '<html><body>It works!</body></html>'],
  ])('leaves all objects to the SDK: %s', (_, xml) => {
    expect(splitListing(xml)).toEqual({ xml, objects: [] })
  })
})
