// Node's HTTP server and nothing else, with ready answers: node rawHttp.mjs PORT ANSWERS
import { createServer } from 'node:http'
import { readAnswers } from './answers.mjs'

const [port = '', file = ''] = process.argv.slice(2)

const answers = readAnswers(file)

createServer((request, response) => {
  const known = answers.get(request.url)
  if (known === undefined) response.writeHead(404).end()
  else if (known.etag !== undefined && request.headers['if-none-match'] === known.etag)
    response.writeHead(304, { ETag: known.etag }).end()
  else response.writeHead(200, { 'Content-Type': known.type, 'Content-Length': known.body.length }).end(known.body)
}).listen(Number(port), '127.0.0.1')
