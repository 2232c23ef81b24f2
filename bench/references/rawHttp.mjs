// Node's HTTP server and nothing else, with ready answers: node rawHttp.mjs PORT ANSWERS [PROCESSES]
import cluster from 'node:cluster'
import { createServer } from 'node:http'
import { readAnswers } from './readAnswers.mjs'

const [port = '', file = '', processes = '1'] = process.argv.slice(2)

const serve = () => {
  const answers = readAnswers(file)
  createServer((request, response) => {
    const known = answers.get(request.url)
    if (known === undefined) response.writeHead(404).end()
    else if (known.etag !== undefined && request.headers['if-none-match'] === known.etag)
      response.writeHead(304, { ETag: known.etag }).end()
    else response.writeHead(200, { 'Content-Type': known.type, 'Content-Length': known.body.length }).end(known.body)
  }).listen(Number(port), '127.0.0.1')
}

if (processes === '1' || cluster.isWorker) serve()
else for (let started = 0; started < Number(processes); started += 1) cluster.fork()
