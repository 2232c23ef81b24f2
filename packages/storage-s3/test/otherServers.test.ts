import { createServer, type RequestListener } from 'node:http'
import { StoragePath } from '@canopy/domain'
import { listening } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it, onTestFinished } from 'vitest'
import { s3Storage } from '../src/s3Storage.js'
import { area, url } from './asClient.js'

/** The storage of a store that answers so. */
const storageOver = async (answer: RequestListener, scheme = 'http') => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' })
  const server = createServer(answer)
  const endpoint = `${scheme}://127.0.0.1:${await listening(server)}`
  const storage = await s3Storage({ ...url, bucket: 'bucket', endpoint, pathStyle: true })
  onTestFinished(() => {
    storage.close()
    server.close()
  })
  return storage
}

const page = '<html><body>It works!</body></html>'

it.each<[string, string, number, string, string]>([
  ['a page', 'http', 200, page, 'NoListing: the response is not a listing'],
  ['a page that says 404', 'http', 404, page, 'NotFound'],
  ['JSON', 'http', 404, '{"type":"error","error":"no such route"}', '@aws-sdk XML parse error.*'],
  ['nothing, with 403', 'http', 403, '', 'status 403'],
  ['a redirect', 'http', 301, '', 'status 301'],
  ['what is no TLS', 'https', 200, page, '.*EPROTO.*'],
])('an endpoint that answers %s is reported in one line with what to do', async (_, scheme, status, body, what) => {
  const storage = await storageOver((__, response) => response.writeHead(status).end(body), scheme)
  const reached = await storage.reachable()
  const is = 'the server at that address is not an object store, or it is failing'
  const hint = 'Check "endpoint" in CANOPY_STORAGE, or check the store'
  const message = expect.stringMatching(new RegExp(`^s3://.*: ${is} \\(${what}\\)\\. ${hint}$`))
  expect(reached).toEqual(E.left(expect.objectContaining({ cause: expect.objectContaining({ message }) })))
})

it('a store that sends another range than the requested one is external', async () => {
  const storage = await storageOver((request, response) => {
    const prefix = new URL(request.url ?? '', 'http://x').searchParams.get('prefix')
    const modified = '<LastModified>2026-01-01T00:00:00Z</LastModified>'
    const object = prefix === '1/f' ? `<Contents><Key>1/f</Key><Size>4</Size>${modified}</Contents>` : ''
    if (request.method === 'HEAD') response.writeHead(200, { 'Content-Length': 4, ETag: '"x"' }).end()
    else if (prefix === null) response.end('text')
    else response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${object}</ListBucketResult>`)
  })
  const file = await storage.openFile(area, StoragePath.unsafe('/f'))()
  const read = async () => E.isRight(file) && file.right.bytes(1n, 3n)[Symbol.asyncIterator]().next()
  await expect(read()).rejects.toThrow('the store sent 4 bytes of an object instead of the requested 2')
})
