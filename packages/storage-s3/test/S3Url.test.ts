import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { fromText, toText } from '../src/S3Url.js'

const url = { bucket: 'files', prefix: '', endpoint: undefined, region: undefined, pathStyle: false }

describe('the URL of an object store', () => {
  it.each([
    ['s3://files', url],
    ['s3://files/canopy', { ...url, prefix: 'canopy/' }],
    ['s3://files/team/a%20b', { ...url, prefix: 'team/a b/' }],
    ['s3://files?endpoint=https://store.example', { ...url, endpoint: 'https://store.example' }],
    [
      's3://files/p?endpoint=http://127.0.0.1:9000&region=eu&pathStyle=true',
      { bucket: 'files', prefix: 'p/', endpoint: 'http://127.0.0.1:9000', region: 'eu', pathStyle: true },
    ],
  ])('%s is read, and read back from what is written', (text, expected) => {
    expect(fromText(text)).toStrictEqual(E.right(expected))
    expect(toText(expected)).toBe(text)
  })

  it('may end in a slash', () => {
    expect(fromText('s3://files/')).toStrictEqual(fromText('s3://files'))
    expect(fromText('s3://files/canopy/?region=eu')).toStrictEqual(fromText('s3://files/canopy?region=eu'))
  })

  it.each([
    ['files', 'must be an object store URL'],
    ['s3:files', 'must be an object store URL'],
    ['s3://', 'must have a bucket name of 3 to 63'],
    ['s3://ab', 'must have a bucket name of 3 to 63'],
    ['s3://key:secret@files', 'must not contain credentials'],
    ['s3://files:9000/a', 'in "endpoint"'],
    ['s3://key:/secret@files', 'in "endpoint"'],
    ['s3://files/a#b', 'in "endpoint"'],
    ['s3://files/a//b', 'must not contain an empty'],
    ['s3://files/../b', 'must not contain an empty, "." or ".."'],
    ['s3://files/./b', 'must not contain an empty, "." or ".."'],
    ['s3://files/%2e%2e/b', 'must not contain an empty, "." or ".."'],
    ['s3://files/a%', 'write "%25"'],
    ['s3://files?endpoint=store.example', 'must include the address of the store in "endpoint"'],
    ['s3://files?endpoint=https://store.example/path', 'must include the address of the store in "endpoint"'],
    ['s3://files?endpoint=https://key:secret@store.example', 'must include the address of the store in "endpoint"'],
    ['s3://files--use1-az4--x-s3', 'must not be an S3 Express directory bucket, which does not list keys in order'],
    ['s3://files--use1-az4--xa-s3/p', 'must not be an S3 Express directory bucket'],
    ['s3://files?pathStyle=yes', 'must set pathStyle to true or false'],
    ['s3://files?path_style=true', 'has an unknown parameter "path_style"'],
  ])('%s is refused, with what to write', (text, said) => {
    const read = fromText(text)
    expect(E.isLeft(read) ? read.left : 'read').toContain(said)
    expect(E.isLeft(read) ? read.left : '').not.toContain('secret@')
  })
})
