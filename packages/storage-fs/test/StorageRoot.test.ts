import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import * as StorageRoot from '../src/StorageRoot.js'

const read = StorageRoot.fromText('/srv/app')

describe('StorageRoot', () => {
  it.each([
    ['file:data', '/srv/app/data'],
    ['file:./data/', '/srv/app/data'],
    ['file:../data', '/srv/data'],
    ['file:.', '/srv/app'],
    ['file:/data', '/data'],
    ['file:///data', '/data'],
    ['file:///', '/'],
    ['file:///a%20b%25', '/a b%'],
    ['file:///a b', '/a b'],
    ['file:///%C3%A9', '/\u00e9'],
    ['file:file://data', '/srv/app/file:/data'],
    ['file:data%3Fnew%23', '/srv/app/data?new#'],
  ])('%s is the directory %s', (text, directory) => {
    expect(read(text)).toEqual(E.right(directory))
  })

  it.each([
    ['', 'file:data'],
    ['data', 'file:data'],
    ['/srv/canopy', 'file:///srv/canopy'],
    ['http://example.org/', 'file:///srv/canopy'],
    ['s3:bucket', 'file:///srv/canopy'],
    ['FILE:data', 'file:data'],
    ['a file:data', 'file:data'],
    ['file:', 'file:///srv/canopy'],
    ['file://', 'file:///srv/canopy'],
    ['file://data', 'three slashes'],
    ['file://localhost/data', 'three slashes'],
    ['file:///100%', '%25'],
    ['file:///%FF', '%25'],
    ['file:///a%2Fb', '%2F'],
    ['file:///a%00', '%00'],
    ['file:data?x', '%3F'],
    ['file:data#x', '%23'],
  ])('%j is refused, and the error says what to write', (text, advice) => {
    expect(read(text)).toEqual(E.left(expect.stringContaining(advice)))
  })

  it.each(['/', '/srv/canopy', '/a b/100%/\u00e9?#'])('%s is written as it is read', (directory) => {
    const text = StorageRoot.urlOf(directory)
    expect(text).toMatch(/^file:\/\/\//)
    expect(read(text)).toEqual(E.right(directory))
  })
})
