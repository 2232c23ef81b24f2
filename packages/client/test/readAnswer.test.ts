import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { isLosslessNumber, type JsonValue } from '../src/index.js'
import { against, emptyTree, error, item, listingOf, root, saying, secretTrigger, token, user } from './answering.js'
import { right } from './right.js'

const visitorTree = { user, path: root }

const treeOf = (content: string): string => `{"type":"tree","content":${content}}`
const file = (fields: string): string =>
  treeOf(`{"type":"file","name":"a",${fields},"visibility":{"inherited":true,"visibility":"public"}}`)

const rootNode = '{"type":"dir","name":"","visibility":{"inherited":true,"visibility":"public"}}'

const directory = '{"type":"dir","name":"a","visibility":{"inherited":true,"visibility":"public"},"content":['

const peeked = (body: string) =>
  against(saying(200, body), async (canopy) => right(await canopy.triggerPeek({ id: secretTrigger })()))

const digits = (value: JsonValue | undefined): string => (isLosslessNumber(value) ? value.value : 'no number')

describe('a body', () => {
  it.each([
    ['text', 'hello'],
    ['nothing', ''],
    ['half of it', emptyTree.slice(0, -1)],
    ['two values', `${emptyTree}${emptyTree}`],
    ['a byte order mark before it', `\ufeff${emptyTree}`],
    ['JavaScript', "{type:'tree'}"],
    ['bytes that are no UTF-8', Buffer.from('{"type":"tree\xff"}', 'latin1')],
  ])('of %s is not JSON', async (_, body) => {
    await against(saying(200, body), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'not JSON', status: 200 }),
      )
    })
  })

  it.each([
    ['an array', '[]', ''],
    ['null', 'null', ''],
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
  ])('with %s has the wrong shape, and says where', async (_, body, field) => {
    await against(saying(200, body), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'wrong shape', status: 200, field }),
      )
    })
  })

  it.each([
    ['JSON', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['a tree', treeOf(`${directory.repeat(50_000)}${']}'.repeat(50_000)}`)],
    ['the beginning of something', '['.repeat(200_000)],
  ])('nested deeper than can be read has the wrong shape, whether it is %s', async (_, body) => {
    const tooDeep = E.left({ error: 'transport', reason: 'wrong shape', status: 200, field: 'nested too deeply' })
    await against(saying(200, body), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(tooDeep)
      expect(await canopy.userContentDirItems(visitorTree)()).toEqual(tooDeep)
      expect(await canopy.triggerPeek({ id: secretTrigger })()).toEqual(tooDeep)
    })
  })

  it('nested deeper than any tree is read or has the wrong shape, and nothing is thrown', async () => {
    const body = treeOf(`${directory.repeat(3000)}${']}'.repeat(3000)}`)
    await against(saying(200, body), async (canopy) => {
      const result = await canopy.userContentTree(visitorTree)()
      expect(E.isRight(result) || (result.left.error === 'transport' && result.left.reason === 'wrong shape')).toBe(
        true,
      )
    })
  })

  it('may hold more fields than the interface names; they are left out of a tree', async () => {
    const body = file('"size":1,"last_modified":2,"colour":"red","content":[]')
    const visibility = { inherited: true, visibility: 'public' }
    await against(saying(200, body), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toStrictEqual(
        E.right({ type: 'file', name: 'a', size: 1n, last_modified: 2n, visibility }),
      )
    })
  })

  it('of a listing is held to its shape as well', async () => {
    await against(saying(200, listingOf(item('a'), item('b', '"2"'))), async (canopy) => {
      expect(await canopy.storageDirItems({ token, path: root })()).toEqual(
        E.left({ error: 'transport', reason: 'wrong shape', status: 200, field: 'content.1.size' }),
      )
    })
  })

  it('of a trigger must hold an object with a type', async () => {
    await against(saying(200, '{"type":"trigger peak","value":{"kind":"x"}}'), async (canopy) => {
      expect(await canopy.triggerPeek({ id: secretTrigger })()).toEqual(
        E.left({ error: 'transport', reason: 'wrong shape', status: 200, field: 'value.type' }),
      )
    })
  })
})

describe('the value of a trigger', () => {
  it('keeps its text to the last character', async () => {
    const text = '{ "n" : 1.00, "big":123456789012345678901234567890,\n"type":"x\\u0041", "e":1E+400 }'
    const value = await peeked(`{"type":"trigger peak","value":${text}}`)
    expect(value.json).toBe(text)
    expect(value.type).toBe('xA')
    expect(digits(value.value['big'])).toBe('123456789012345678901234567890')
    expect(digits(value.value['n'])).toBe('1.00')
  })

  it('has numbers of which no digit is lost: n.value is the digits, Number(n.value) the nearest number', async () => {
    const { value } = await peeked('{"type":"trigger peak","value":{"type":"x","n":0.12345678901234567890,"e":1E-400}}')
    expect(Number(digits(value['n']))).toBe(0.12345678901234568)
    expect(Number(digits(value['e']))).toBe(0)
    expect(() => Number(value['e'])).toThrow('Cannot safely convert')
  })

  it('is passed on as its text: JSON.stringify does not know its numbers', async () => {
    const { json, value } = await peeked('{"type":"trigger peak","value":{"type":"x","n":1.00}}')
    expect(json).toBe('{"type":"x","n":1.00}')
    expect(JSON.stringify(value)).not.toBe(json)
  })

  it('is found wherever it stands, however its name is written', async () => {
    const body = ' { "a" : {"value":{"type":"no"}} , "\\u0076alue" : {"type":"yes"} , "type" : "trigger peak" } '
    expect((await peeked(body)).json).toBe('{"type":"yes"}')
  })

  it('may hold the names that objects have by themselves', async () => {
    const { value } = await peeked('{"type":"trigger peak","value":{"__proto__":{"a":true},"type":"x"}}')
    expect(Object.keys(value)).toEqual(['__proto__', 'type'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('may say a name twice: the last one counts', async () => {
    const value = await peeked('{"type":"trigger peak","value":{"type":"a","n":1,"n":2,"type":"b"}}')
    expect(value).toMatchObject({ type: 'b', json: '{"type":"a","n":1,"n":2,"type":"b"}' })
    expect(digits(value.value['n'])).toBe('2')
  })
})
