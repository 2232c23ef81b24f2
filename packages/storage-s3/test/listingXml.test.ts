import { describe, expect, it } from 'vitest'
import { parseListing } from '../src/listingXml.js'

const object = (key: string) =>
  `<Contents><Key>${key}</Key><LastModified>2026-11-28T03:33:31.740Z</LastModified><ETag>&quot;e&quot;</ETag><Size>7</Size></Contents>`
const listing = (...content: ReadonlyArray<string>) =>
  `<ListBucketResult><Prefix>p/</Prefix><IsTruncated>false</IsTruncated>${content.join('\n')}</ListBucketResult>`
const parsed = (xml: string) => parseListing(Buffer.from(xml))

describe('parseListing', () => {
  it('returns objects, common prefixes and the fields of the page', () => {
    const content = [object('a%20b'), object('c/d'), '<CommonPrefixes><Prefix>e/</Prefix></CommonPrefixes>']
    const fields =
      '<EncodingType>url</EncodingType><KeyCount>3</KeyCount><NextContinuationToken>t&amp;é</NextContinuationToken>'
    const others = { size: 7, modified: 1_795_836_811 }
    expect(parsed(listing(...content, fields).replace('false', 'true'))).toEqual({
      objects: [
        { key: 'a%20b', ...others },
        { key: 'c/d', ...others },
      ],
      commonPrefixes: ['e/'],
      isEncoded: true,
      keyCount: 3,
      token: 't&é',
    })
  })

  it('returns the bytes of entities and of characters beyond ASCII', () => {
    const keys = parsed(listing(object('a&amp;&lt;&gt;&quot;&apos;&#xe9;&#233;é&#x1F600;')))?.objects
    expect(Buffer.from(keys?.[0]?.key ?? '', 'latin1').toString()).toBe('a&<>"\'ééé😀')
  })

  it('ignores a token after the last page', () => {
    const token = '<NextContinuationToken>t</NextContinuationToken>'
    expect(parsed(listing(token))?.token).toBeUndefined()
  })

  it.each([
    ['an object without a size', listing(object('a').replace('<Size>7</Size>', ''), object('b'))],
    ['an object without a key', listing(object('a').replace('<Key>a</Key>', ''), object('b'))],
    ['an unreadable time', listing(object('a').replace('2026', 'MMXXVI'))],
    ['a common prefix without text', listing('<CommonPrefixes></CommonPrefixes>')],
    ['a next page without a token', listing(object('a')).replace('false', 'true')],
    ['a page without its end', listing(object('a'), object('b')).slice(0, -120)],
    ['a page of HTML', '<html><body>It works!</body></html>'],
    ['nothing', ''],
  ])('refuses %s', (_, xml) => {
    expect(parsed(xml)).toBeUndefined()
  })
})
