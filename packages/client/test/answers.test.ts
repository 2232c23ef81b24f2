import { describe, expect, it } from 'vitest'
import {
  against,
  emptyTree,
  error,
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

describe('a failure of an operation', () => {
  it('is a name of its column with the status of that name', async () => {
    await against(saying(409, error('type mismatch')), async (canopy) => {
      expect(await failureOf(canopy.storageTree({ token, path: '/' }))).toEqual({ error: 'type mismatch' })
      expect(await failureOf(canopy.userContentDirItems(visitor))).toEqual({ error: 'type mismatch' })
    })
  })

  it('has no further fields, also as external', async () => {
    await against(saying(502, '{"type":"error","error":"external","cause":"disk 7"}'), async (canopy) => {
      expect(await failureOf(canopy.triggerPeek({ id: secretTrigger }))).toEqual({ error: 'external' })
    })
  })

  it.each([
    ['of another operation', 404, 'trigger not found'],
    ['of the operations with a token', 401, 'invalid token'],
    ['with another status', 500, 'file not found'],
    ['of what lies outside the operations', 404, 'no such route'],
    ['of a method that the client never uses', 405, 'method not allowed'],
    ['that no interface has', 502, 'cnp_something'],
    ['that every object has', 404, 'constructor'],
  ])('is an unexpected answer when its name is one %s', async (_, status, name) => {
    await against(saying(status, error(name)), async (canopy) => {
      expect(await failureOf(canopy.userContentTree(visitor))).toEqual(unexpected(status))
    })
  })
})

describe('a refusal of the service', () => {
  it.each(['depth', 'limit', 'after'])('of a bad request names the parameter: %s', async (parameter) => {
    await against(saying(400, `{"type":"error","error":"bad request","parameter":"${parameter}"}`), async (canopy) => {
      const failure = { error: 'bad request', parameter }
      expect(await failureOf(canopy.userContentTree(visitor))).toEqual(failure)
      expect(await failureOf(canopy.storageDirItems({ token, path: '/' }))).toEqual(failure)
    })
  })

  it.each([
    ['none', 400, error('bad request')],
    ['none, after a time-out', 408, error('bad request')],
    ['none, of large headers', 431, error('bad request')],
    ['an unknown one', 400, '{"type":"error","error":"bad request","parameter":"cnp_something"}'],
    ['no text', 400, '{"type":"error","error":"bad request","parameter":["depth"]}'],
  ])('of a bad request may name no parameter: %s', async (_, status, body) => {
    await against(saying(status, body), async (canopy) => {
      expect(await failureOf(canopy.userContentTree(visitor))).toEqual({ error: 'bad request', parameter: undefined })
    })
  })

  it.each([
    [429, 'too many requests'],
    [503, 'overloaded'],
  ])('of %s carries the seconds of Retry-After, 0 without it: %s', async (status, name) => {
    for (const [headers, retryAfter] of [
      [{ 'Retry-After': '120' }, 120],
      [{}, 0],
    ] as const) {
      await against(saying(status, error(name), headers), async (canopy) => {
        expect(await failureOf(canopy.userContentTree(visitor))).toEqual({ error: name, retryAfter })
      })
    }
  })

  it.each([
    ['a page of a proxy', '<html>Bad gateway</html>'],
    ['nothing', ''],
    ['another shape', '{"type":"error","error":{"name":"external"}}'],
    ['another type', '{"type":"tree","error":"external"}'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe])],
  ])('is an unexpected answer when its body is %s', async (_, body) => {
    await against(saying(502, body), async (canopy) => {
      expect(await failureOf(canopy.userContentTree(visitor))).toEqual(unexpected(502))
    })
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

const rootNode = '{"type":"dir","name":"","visibility":{"inherited":true,"visibility":"public"}}'

const directory = '{"type":"dir","name":"a","visibility":{"inherited":true,"visibility":"public"},"content":['

const peeked = (body: string) => against(saying(200, body), (canopy) => canopy.triggerPeek({ id: secretTrigger }))

describe('a body', () => {
  it.each([
    ['text', 'hello'],
    ['nothing', ''],
    ['half of it', emptyTree.slice(0, -1)],
    ['two values', `${emptyTree}${emptyTree}`],
    ['a byte order mark before it', `\ufeff${emptyTree}`],
    ['JavaScript', "{type:'tree'}"],
    ['bytes that are no UTF-8', Buffer.from('{"type":"tree\xff"}', 'latin1')],
  ])('of %s is malformed', async (_, body) => {
    await against(saying(200, body), async (canopy) => {
      expect(await failureOf(canopy.userContentTree(visitor))).toEqual(malformed('body'))
    })
  })

  it.each([
    ['an array', '[]', 'body'],
    ['null', 'null', 'body'],
    ['another type', listingOf(), 'type'],
    ['an error with status 200', error('external'), 'type'],
    ['no content', '{"type":"tree"}', 'content'],
    ['a size beyond u64', file('"size":18446744073709551616,"last_modified":1'), 'content.size'],
    ['a huge size', file(`"size":${'9'.repeat(100_000)},"last_modified":1`), 'content.size'],
    ['a negative size', file('"size":-1,"last_modified":1'), 'content.size'],
    ['a fractional size', file('"size":1.0,"last_modified":1'), 'content.size'],
    ['an exponent', file('"size":1e3,"last_modified":1'), 'content.size'],
    ['a size as text', file('"size":"1","last_modified":1'), 'content.size'],
    ['no time', file('"size":1'), 'content.last_modified'],
    ['a name with a slash', file('"size":1,"last_modified":1').replace('"a"', '"a/b"'), 'content.name'],
    ['half a surrogate pair', file('"size":1,"last_modified":1').replace('"a"', '"\\ud800"'), 'content.name'],
    ['a visibility that is none', emptyTree.replace('public', 'secret'), 'content.visibility.visibility'],
    ['content that is no array', emptyTree.replace('[]', '{}'), 'content.content'],
    ['a child without a name', emptyTree.replace('[]', `[${rootNode}]`), 'content.content.0.name'],
    ['a child that is none', emptyTree.replace('[]', '[1]'), 'content.content.0'],
  ])('with %s is malformed, and the failure says where', async (_, body, at) => {
    await against(saying(200, body), async (canopy) => {
      expect(await failureOf(canopy.userContentTree(visitor))).toEqual(malformed(at))
    })
  })

  it.each([
    ['JSON', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['a tree', treeOf(`${directory.repeat(50_000)}${']}'.repeat(50_000)}`)],
    ['the beginning of something', '['.repeat(200_000)],
  ])('of more levels than any tree has is malformed, whether it is %s', async (_, body) => {
    await against(saying(200, body), async (canopy) => {
      expect(await failureOf(canopy.userContentTree(visitor))).toEqual(malformed('body'))
      expect(await failureOf(canopy.userContentDirItems(visitor))).toEqual(malformed('body'))
      expect(await failureOf(canopy.triggerPeek({ id: secretTrigger }))).toEqual(malformed('body'))
    })
  })

  it('of the deepest tree that a path can reach is read', async () => {
    const body = treeOf(`${directory.repeat(256)}${']}'.repeat(256)}`)
    await against(saying(200, body), async (canopy) => {
      expect(await canopy.userContentTree(visitor)).toMatchObject({ content: [{ content: [{ name: 'a' }] }] })
    })
  })

  it('of a listing must have its form', async () => {
    await against(saying(200, listingOf(item('a'), item('b', '"2"'))), async (canopy) => {
      expect(await failureOf(canopy.storageDirItems({ token, path: '/' }))).toEqual(malformed('content.1.size'))
    })
    await against(saying(200, listingOf(item(''))), async (canopy) => {
      expect(await failureOf(canopy.storageDirItems({ token, path: '/' }))).toEqual(malformed('content.0.name'))
    })
  })

  it.each([
    ['a value without a type', '{"type":"trigger peak","value":{"kind":"x"}}', 'value.type'],
    ['a value whose type is no text', '{"type":"trigger peak","value":{"type":1}}', 'value.type'],
    ['a value that is an array', '{"type":"trigger peak","value":[]}', 'value'],
    ['no value', '{"type":"trigger peak"}', 'value'],
  ])('of a trigger is malformed with %s', async (_, body, at) => {
    await against(saying(200, body), async (canopy) => {
      expect(await failureOf(canopy.triggerPeek({ id: secretTrigger }))).toEqual(malformed(at))
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
      const page = await canopy.userContentDirItems(visitor)
      expect(page).toStrictEqual({
        items: [{ visibility, is_file: false, name: 'a', last_modified: 2n, size: 1n }],
        next: undefined,
      })
    })
  })

  it('are dropped from the envelope of a trigger, and passed on in its value', async () => {
    const value = '{"type":"x","colour":"red"}'
    expect(await peeked(`{"type":"trigger peak","value":${value},${more}}`)).toStrictEqual({
      type: 'x',
      json: value,
      value: { type: 'x', colour: 'red' },
    })
  })
})

describe('the value of a trigger', () => {
  it('keeps its text to the last character', async () => {
    const text = '{ "n" : 1.00, "big":123456789012345678901234567890,\n"type":"x\\u0041", "e":1E+400 }'
    const { type, json, value } = await peeked(`{"type":"trigger peak","value":${text}}`)
    expect([type, json]).toEqual(['xA', text])
    expect([value['n'], value['big']]).toEqual([1, 123456789012345678901234567890n])
  })
})
