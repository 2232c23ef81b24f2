import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { client, Input } from '../src/index.js'
import * as TransportFailure from '../src/TransportFailure.js'
import { against, emptyTree, error, item, listingOf, root, saying, secretTrigger, token, user } from './answering.js'
import { right } from './right.js'

const visitorTree = { user, path: root }

describe('a failure of an operation', () => {
  it('is a name of its column with the status of that name', async () => {
    await against(saying(409, error('type mismatch')), async (canopy) => {
      expect(await canopy.storageTree({ token, path: root })()).toEqual(E.left({ error: 'type mismatch' }))
      expect(await canopy.userContentDirItems(visitorTree)()).toEqual(E.left({ error: 'type mismatch' }))
    })
  })

  it('carries no cause, also as external', async () => {
    const body = '{"type":"error","error":"external","cause":"disk 7"}'
    await against(saying(502, body), async (canopy) => {
      expect(await canopy.triggerPeek({ id: secretTrigger })()).toEqual(E.left({ error: 'external' }))
    })
  })

  it('of another operation is an unexpected answer that keeps its name', async () => {
    await against(saying(404, error('trigger not found')), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status: 404, name: 'trigger not found' }),
      )
    })
    await against(saying(401, error('invalid token')), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status: 401, name: 'invalid token' }),
      )
    })
  })

  it('with another status is an unexpected answer', async () => {
    await against(saying(500, error('file not found')), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status: 500, name: 'file not found' }),
      )
    })
  })
})

describe('a refusal of the service', () => {
  it.each([
    [400, 'bad request'],
    [404, 'no such route'],
    [405, 'method not allowed'],
    [429, 'too many requests'],
    [503, 'overloaded'],
  ] as const)('%s keeps its name: %s', async (status, name) => {
    await against(saying(status, error(name)), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status, name }),
      )
    })
  })

  it('keeps what Retry-After asked for', async () => {
    await against(saying(503, error('overloaded'), { 'Retry-After': '120' }), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({
          error: 'transport',
          reason: 'unexpected answer',
          status: 503,
          name: 'overloaded',
          retryAfterSeconds: 120,
        }),
      )
    })
  })

  it.each([
    ['a name that nobody knows', error('cnp_something')],
    ['a page of a proxy', '<html>Bad gateway</html>'],
    ['nothing', ''],
    ['another shape', '{"type":"error","error":{"name":"external"}}'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe])],
  ])('is its status alone when its body is %s', async (_, body) => {
    await against(saying(502, body), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status: 502 }),
      )
    })
  })

  it('may be a redirect, which is not followed', async () => {
    await against(saying(302, '', { Location: '/elsewhere' }), async (canopy, { targets }) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'unexpected answer', status: 302 }),
      )
      expect(targets).toEqual(['/api/usercontent/v1/tree/id/1'])
    })
  })
})

describe('a body', () => {
  const treeOf = (content: string): string => `{"type":"tree","content":${content}}`
  const file = (fields: string): string =>
    treeOf(`{"type":"file","name":"a",${fields},"visibility":{"inherited":true,"visibility":"public"}}`)

  it.each([
    ['text', 'hello'],
    ['nothing', ''],
    ['half of it', emptyTree.slice(0, -1)],
    ['two values', `${emptyTree}${emptyTree}`],
    ['a byte order mark before it', `\ufeff${emptyTree}`],
    ['JavaScript', "{type:'tree'}"],
    ['nesting without end', '['.repeat(200_000)],
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
    ['a child that is none', emptyTree.replace('[]', '[1]'), 'content.content.0'],
  ])('with %s has the wrong shape, and says where', async (_, body, field) => {
    await against(saying(200, body), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toEqual(
        E.left({ error: 'transport', reason: 'wrong shape', status: 200, field }),
      )
    })
  })

  it('nested deeper than any tree has the wrong shape or is not JSON, and nothing is thrown', async () => {
    const depth = 3000
    const directory = '{"type":"dir","name":"a","visibility":{"inherited":true,"visibility":"public"},"content":['
    const body = treeOf(`${directory.repeat(depth)}${']}'.repeat(depth)}`)
    await against(saying(200, body), async (canopy) => {
      const result = await canopy.userContentTree(visitorTree)()
      expect(E.isRight(result) || result.left.error === 'transport').toBe(true)
    })
  })

  it('may hold more fields than the interface names; they are left out of a tree', async () => {
    const body = file('"size":1,"last_modified":2,"colour":"red"')
    await against(saying(200, body), async (canopy) => {
      expect(await canopy.userContentTree(visitorTree)()).toMatchObject({ right: { size: 1n, last_modified: 2n } })
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
  const peeked = (body: string) =>
    against(saying(200, body), async (canopy) => right(await canopy.triggerPeek({ id: secretTrigger })()))

  it('keeps its text to the last character', async () => {
    const text = '{ "n" : 1.00, "big":123456789012345678901234567890,\n"type":"x\\u0041", "e":1E+400 }'
    const value = await peeked(`{"type":"trigger peak","value":${text}}`)
    expect(value.json).toBe(text)
    expect(value.type).toBe('xA')
    expect(String(value.value['big'])).toBe('123456789012345678901234567890')
    expect(String(value.value['n'])).toBe('1.00')
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
    expect(String(value.value['n'])).toBe('2')
  })
})

describe('a connection', () => {
  it('that is refused is a network failure with its code', async () => {
    const baseUrl = await against(saying(200, ''), async (_, service) => service.baseUrl)
    expect(await client({ baseUrl, retries: 0 }).userContentTree(visitorTree)()).toEqual(
      E.left({ error: 'transport', reason: 'network', code: 'ECONNREFUSED' }),
    )
  })

  it('that ends before an answer is a network failure', async () => {
    await against(
      (request) => request.socket.destroy(),
      async (canopy) => {
        expect(await canopy.userContentTree(visitorTree)()).toMatchObject({
          left: { error: 'transport', reason: 'network' },
        })
      },
    )
  })

  it.each([
    ['a length that was told', { 'Content-Length': '1000' }],
    ['chunks', {}],
  ])('that ends inside the body is a body cut off: %s', async (_, headers) => {
    await against(
      (_request, response) => {
        response.writeHead(200, headers)
        response.write(emptyTree)
        setImmediate(() => response.destroy())
      },
      async (canopy) => {
        expect(await canopy.userContentTree(visitorTree)()).toEqual(
          E.left({ error: 'transport', reason: 'cut off', status: 200 }),
        )
      },
    )
  })

  it('through a fetch that throws is a network failure, whatever it throws', async () => {
    const baseUrl = right(Input.baseUrl('http://127.0.0.1'))
    const throwing = (thrown: unknown) =>
      client({
        baseUrl,
        retries: 0,
        fetch: () => {
          throw thrown
        },
      })
    for (const thrown of [new Error(`no route to ${token}`), 'text', undefined, { cause: { code: token } }]) {
      expect(await throwing(thrown).storageTree({ token, path: root })()).toEqual(
        E.left({ error: 'transport', reason: 'network' }),
      )
    }
  })
})

describe('a request', () => {
  it('asks for JSON without credentials, referrer or redirects', async () => {
    const inits: Array<RequestInit> = []
    const canopy = client({
      baseUrl: right(Input.baseUrl('http://127.0.0.1/base/')),
      fetch: async (url, init) => {
        expect(url).toBe('http://127.0.0.1/base/api/usercontent/v1/tree/id/1')
        inits.push(init)
        return new Response(emptyTree)
      },
    })
    expect(E.isRight(await canopy.userContentTree(visitorTree)())).toBe(true)
    expect(inits).toMatchObject([
      {
        method: 'GET',
        headers: { Accept: 'application/json' },
        credentials: 'omit',
        redirect: 'manual',
        referrerPolicy: 'no-referrer',
      },
    ])
  })

  it('is sent anew each time its TaskEither is run, and not before', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      const program = canopy.userContentTree(visitorTree)
      expect(targets).toEqual([])
      await program()
      await program()
      expect(targets.length).toBe(2)
    })
  })

  it('with bounds that are none is refused by the service, and the message says what they are', async () => {
    await against(saying(400, error('bad request')), async (canopy) => {
      const result = await canopy.userContentTree({ ...visitorTree, depth: -1 })()
      expect(E.isLeft(result) && result.left.error === 'transport' && TransportFailure.message(result.left)).toBe(
        'unexpected answer: 400 bad request; depth is a whole number from 0, limit one from 1',
      )
    })
  })
})
