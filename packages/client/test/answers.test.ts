import { describe, expect, it } from 'vitest'
import type { Client } from '../src/index.js'
import {
  against,
  emptyTree,
  error,
  failureAgainst,
  failureOf,
  item,
  listingOf,
  saying,
  secretTrigger,
  token,
  visitor,
} from './answering.js'

const malformed = (at: string) => ({ error: 'malformed answer', at })
const unexpected = (status: number) => ({ error: 'unexpected answer', status })
const badRequest = (parameter?: string) => ({ error: 'bad request', parameter })
const naming = (parameter: unknown) => JSON.stringify({ type: 'error', error: 'bad request', parameter })

describe('a refusal', () => {
  it.each<[string, number, string | Buffer, object, Record<string, string>?]>([
    ['a name of the operation, with its status', 409, error('type mismatch'), { error: 'type mismatch' }],
    ['and no further fields', 502, '{"type":"error","error":"external","cause":"disk 7"}', { error: 'external' }],
    ['no name of another operation', 404, error('trigger not found'), unexpected(404)],
    ['none of the operations with a token', 401, error('invalid token'), unexpected(401)],
    ['no name with another status', 500, error('file not found'), unexpected(500)],
    ['none of what lies outside the operations', 404, error('no such route'), unexpected(404)],
    ['none of a method that the client never uses', 405, error('method not allowed'), unexpected(405)],
    ['none that no interface has', 502, error('cnp_something'), unexpected(502)],
    ['none that every object has', 404, error('constructor'), unexpected(404)],
    ['a parameter of a bad request', 400, naming('depth'), badRequest('depth')],
    ['another one', 400, naming('limit'), badRequest('limit')],
    ['a third one', 400, naming('after'), badRequest('after')],
    ['a bad request without one', 400, error('bad request'), badRequest()],
    ['a bad request after a time-out', 408, error('bad request'), badRequest()],
    ['a bad request of large headers', 431, error('bad request'), badRequest()],
    ['no unknown parameter', 400, naming('cnp_something'), badRequest()],
    ['no parameter that is no text', 400, naming(['depth']), badRequest()],
    ['429', 429, error('too many requests'), { error: 'too many requests', retryAfter: 0 }],
    ['503', 503, error('overloaded'), { error: 'overloaded', retryAfter: 0 }],
    ['503 with seconds', 503, error('overloaded'), { error: 'overloaded', retryAfter: 7 }, { 'Retry-After': '7' }],
    ['a page of a proxy', 502, '<html>Bad gateway</html>', unexpected(502)],
    ['nothing', 502, '', unexpected(502)],
    ['another shape', 502, '{"type":"error","error":{"name":"external"}}', unexpected(502)],
    ['another type', 502, '{"type":"tree","error":"external"}', unexpected(502)],
    ['bytes that are no text', 502, Buffer.from([0xff, 0xfe]), unexpected(502)],
  ])('is read: %s', async (_, status, body, failure, headers) => {
    const listener = saying(status, body, headers)
    expect(await failureAgainst(listener)).toEqual(failure)
    expect(await failureAgainst(listener, (canopy) => canopy.userContentDirItems(visitor))).toEqual(failure)
  })

  it('may be a redirect, which the client does not follow', async () => {
    await against(saying(302, '', { Location: '/elsewhere' }), async (canopy, { targets }) => {
      expect(await failureOf(canopy.userContentTree(visitor))).toEqual(unexpected(302))
      expect(targets).toEqual(['/api/usercontent/v1/tree/id/1'])
    })
  })
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
    ['nothing', ''],
    ['half of it', emptyTree.slice(0, -1)],
    ['two values', `${emptyTree}${emptyTree}`],
    ['a byte order mark before it', `\ufeff${emptyTree}`],
    ['JavaScript', "{type:'tree'}"],
    ['bytes that are no UTF-8', Buffer.from('{"type":"tree\xff"}', 'latin1')],
    ['an array', '[]'],
    ['null', 'null'],
    ['JSON of more levels than any tree has', nested('[', 200_000, ']')],
    ['a tree of more levels', treeOf(nested(directory, 50_000, ']}'))],
    ['the beginning of something of more levels', '['.repeat(200_000)],
  ])('of %s is malformed', async (_, body) => {
    const answer = saying(200, body)
    for (const call of [undefined, listed, peeked])
      expect(await failureAgainst(answer, call)).toEqual(malformed('body'))
  })

  it.each<[string, string, string, ((canopy: Client) => Promise<unknown>)?]>([
    ['another type', listingOf(), 'type'],
    ['an error with status 200', error('external'), 'type'],
    ['no content', '{"type":"tree"}', 'content'],
    ['a size beyond u64', sized('18446744073709551616'), 'content.size'],
    ['a huge size', sized('9'.repeat(100_000)), 'content.size'],
    ['a negative size', sized('-1'), 'content.size'],
    ['a fractional size', sized('1.0'), 'content.size'],
    ['an exponent', sized('1e3'), 'content.size'],
    ['a size as text', sized('"1"'), 'content.size'],
    ['no time', file('"size":1'), 'content.last_modified'],
    ['a name with a slash', sized('1').replace('"a"', '"a/b"'), 'content.name'],
    ['half a surrogate pair', sized('1').replace('"a"', '"\\ud800"'), 'content.name'],
    ['a visibility that is none', emptyTree.replace('public', 'secret'), 'content.visibility.visibility'],
    ['content that is no array', emptyTree.replace('[]', '{}'), 'content.content'],
    ['a child without a name', emptyTree.replace('[]', `[${rootNode}]`), 'content.content.0.name'],
    ['a child that is none', emptyTree.replace('[]', '[1]'), 'content.content.0'],
    ['an item whose size is text', listingOf(item('a'), item('b', '"2"')), 'content.1.size', listed],
    ['an item without a name', listingOf(item('')), 'content.0.name', listed],
    ['a trigger without a type', peekOf('{"kind":"x"}'), 'value.type', peeked],
    ['a trigger whose type is no text', peekOf('{"type":1}'), 'value.type', peeked],
    ['a trigger that is an array', peekOf('[]'), 'value', peeked],
    ['no trigger', '{"type":"trigger peak"}', 'value', peeked],
  ])('with %s is malformed, and the failure says where', async (_, body, at, call) => {
    expect(await failureAgainst(saying(200, body), call)).toEqual(malformed(at))
  })

  it('of the deepest tree that a path can reach is read', async () => {
    await against(saying(200, treeOf(nested(directory, 256, ']}'))), async (canopy) => {
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
    await against(saying(200, `{"type":"tree","content":${top},${more}}`), async (canopy) => {
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

  it('are dropped from an envelope, items, and their visibility', async () => {
    const one = `{"is_file":false,"name":"a","size":1,"last_modified":2,"content":[],"visibility":${visibilityMore},${more}}`
    await against(saying(200, `{"type":"dir content","content":[${one}],${more}}`), async (canopy) => {
      expect(await canopy.userContentDirItems(visitor)).toStrictEqual({
        items: [{ visibility, is_file: false, name: 'a', last_modified: 2n, size: 1n }],
        next: undefined,
      })
    })
  })

  it('are dropped from the envelope of a trigger; its value keeps each, and its text to the last character', async () => {
    const json = '{ "n" : 1.00, "big":123456789012345678901234567890,\n"type":"x\\u0041", "e":1E+400 }'
    const value = { n: 1, big: 123456789012345678901234567890n, type: 'xA', e: Number.POSITIVE_INFINITY }
    await against(saying(200, `{"type":"trigger peak","value":${json},${more}}`), async (canopy) => {
      expect(await peeked(canopy)).toStrictEqual({ type: 'xA', json, value })
    })
  })
})
