import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it, onTestFinished } from 'vitest'
import { s3Storage } from '../src/s3Storage.js'

const portOf = async (answer: RequestListener): Promise<number> => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
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
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' })
  const endpoint = `${scheme}://127.0.0.1:${await portOf((__, response) => response.writeHead(status).end(body))}`
  const storage = await s3Storage({ bucket: 'bucket', prefix: '', endpoint, region: undefined, pathStyle: true })
  const reached = await storage.reachable()
  storage.close()
  const is = 'the server at that address is not an object store, or it is failing'
  const hint = 'Correct "endpoint" in CANOPY_STORAGE, or check the store'
  const message = expect.stringMatching(new RegExp(`^s3://.*: ${is} \\(${what}\\)\\. ${hint}$`))
  expect(reached).toEqual(E.left(expect.objectContaining({ cause: expect.objectContaining({ message }) })))
})
