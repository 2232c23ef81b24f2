import { describe, expect, it } from 'vitest'
import type { Client } from '../src/index.js'
import {
  emptyTree,
  error,
  failureWithStub,
  item,
  listingOf,
  respond,
  secretTrigger,
  token,
  visitor,
  withStub,
} from './stubService.js'

const malformed = (part: string) => ({ error: 'malformed response', part })
const unexpected = (status: number) => ({ error: 'unexpected response', status })
const badRequest = (parameter?: string) => ({ error: 'bad request', parameter })
const naming = (parameter: unknown) => JSON.stringify({ type: 'error', error: 'bad request', parameter })

it.each<[string, number, string | Buffer, object, Record<string, string>?]>([
  ['an error name of the operation with its status', 409, error('type mismatch'), { error: 'type mismatch' }],
  ['without further fields', 502, '{"type":"error","error":"external","cause":"disk 7"}', { error: 'external' }],
  ['an error name of another operation', 404, error('trigger not found'), unexpected(404)],
  ['an error name of token operations', 401, error('invalid token'), unexpected(401)],
  ['an error name with another status', 500, error('file not found'), unexpected(500)],
  ['an error outside the operations', 404, error('no such route'), unexpected(404)],
  ['a name of Object.prototype', 404, error('constructor'), unexpected(404)],
  ['the parameter depth', 400, naming('depth'), badRequest('depth')],
  ['a bad request after a timeout', 408, error('bad request'), badRequest()],
  ['an unknown parameter', 400, naming('cnp_something'), badRequest()],
  ['503 with seconds', 503, error('overloaded'), { error: 'overloaded', retryAfter: 7 }, { 'Retry-After': '7' }],
  ['a redirect, which is not followed', 302, '', unexpected(302), { Location: '/elsewhere' }],
  ['a page of a proxy', 502, '<html>Bad gateway</html>', unexpected(502)],
  ['another shape', 502, '{"type":"error","error":{"name":"external"}}', unexpected(502)],
  ['bytes that are not UTF-8', 502, Buffer.from([0xff, 0xfe]), unexpected(502)],
])('an error response is decoded: %s', async (_, status, body, failure, headers) => {
  const listener = respond(status, body, headers)
  expect(await failureWithStub(listener)).toEqual(failure)
  expect(await failureWithStub(listener, (canopy) => canopy.userContentDirItems(visitor))).toEqual(failure)
})

const treeOf = (content: string): string => `{"type":"tree","content":${content}}`
const file = (fields: string): string =>
  treeOf(`{"type":"file","name":"a",${fields},"visibility":{"inherited":true,"visibility":"public"}}`)
const sized = (size: string): string => file(`"size":${size},"last_modified":1`)
const peekOf = (value: string): string => `{"type":"trigger peak","value":${value}}`

const rootNode = '{"type":"dir","name":"","visibility":{"inherited":true,"visibility":"public"}}'
const directory = '{"type":"dir","name":"a","visibility":{"inherited":true,"visibility":"public"},"content":['
const nested = (text: string, levels: number, end: string): string => `${text.repeat(levels)}${end.repeat(levels)}`

const peeked = (canopy: Client) => canopy.triggerPeek({ id: secretTrigger })
const listed = (canopy: Client) => canopy.storageDirItems({ token, path: '/' })

describe('a body', () => {
  it.each([
    ['text', 'hello'],
    ['length 0', ''],
    ['two values', `${emptyTree}${emptyTree}`],
    ['a byte order mark before it', `\ufeff${emptyTree}`],
    ['bytes that are not UTF-8', Buffer.from('{"type":"tree\xff"}', 'latin1')],
    ['an array', '[]'],
    ['200,000 levels of JSON', nested('[', 200_000, ']')],
    ['50,000 levels of directories', treeOf(nested(directory, 50_000, ']}'))],
  ])('of %s is malformed', async (_, body) => {
    const answer = respond(200, body)
    for (const call of [undefined, listed, peeked])
      expect(await failureWithStub(answer, call)).toEqual(malformed('body'))
  })

  it.each<[string, string, string, ((canopy: Client) => Promise<unknown>)?]>([
    ['another type', listingOf(), 'type'],
    ['no content', '{"type":"tree"}', 'content'],
    ['a size beyond u64', sized('18446744073709551616'), 'content.size'],
    ['a negative size', sized('-1'), 'content.size'],
    ['a size as text', sized('"1"'), 'content.size'],
    ['no time', file('"size":1'), 'content.last_modified'],
    ['a name with a slash', sized('1').replace('"a"', '"a/b"'), 'content.name'],
    ['half a surrogate pair', sized('1').replace('"a"', '"\\ud800"'), 'content.name'],
    ['an unknown visibility', emptyTree.replace('public', 'secret'), 'content.visibility.visibility'],
    ['a child without a name', emptyTree.replace('[]', `[${rootNode}]`), 'content.content.0.name'],
    ['an item whose size is text', listingOf(item('a'), item('b', '"2"')), 'content.1.size', listed],
    ['a trigger without a type', peekOf('{"kind":"x"}'), 'value.type', peeked],
    ['a trigger that is an array', peekOf('[]'), 'value', peeked],
  ])('with %s is malformed, and the failure names the part', async (_, body, part, call) => {
    expect(await failureWithStub(respond(200, body), call)).toEqual(malformed(part))
  })

  it('of the deepest possible tree is decoded', async () => {
    await withStub(respond(200, treeOf(nested(directory, 256, ']}'))), async (canopy) => {
      expect(await canopy.userContentTree(visitor)).toMatchObject({ content: [{ content: [{ name: 'a' }] }] })
    })
  })
})

describe('unknown fields', () => {
  const more = '"colour":"red","__proto__":{"a":1}'
  const visibilityMore = `{"inherited":true,"visibility":"public",${more}}`
  const visibility = { inherited: true, visibility: 'public' }

  it('are dropped from an envelope, nodes, and their visibility', async () => {
    const children = [
      `{"type":"file","name":"b","size":1,"last_modified":2,"content":[],"visibility":${visibilityMore},${more}}`,
      `{"type":"dir","name":"c","size":1,"last_modified":2,"visibility":${visibilityMore},${more}}`,
    ]
    const top = `{"type":"dir","name":"a","size":1,"visibility":${visibilityMore},"content":[${children.join(',')}],${more}}`
    await withStub(respond(200, `{"type":"tree","content":${top},${more}}`), async (canopy) => {
      expect(await canopy.userContentTree(visitor)).toStrictEqual({
        type: 'dir',
        name: 'a',
        visibility,
        content: [
          { type: 'file', name: 'b', size: 1n, last_modified: 2n, visibility },
          { type: 'dir', name: 'c', visibility },
        ],
      })
    })
  })

  it('are kept in the value of a trigger, whose source text is unchanged', async () => {
    const json = '{ "n" : 1.00, "big":123456789012345678901234567890,\n"type":"x\\u0041", "e":1E+400 }'
    const value = { n: 1, big: 123456789012345678901234567890n, type: 'xA', e: Number.POSITIVE_INFINITY }
    await withStub(respond(200, `{"type":"trigger peak","value":${json},${more}}`), async (canopy) => {
      expect(await peeked(canopy)).toStrictEqual({ type: 'xA', json, value })
    })
  })
})
