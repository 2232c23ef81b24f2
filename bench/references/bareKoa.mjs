// Koa and its router and nothing else, with ready answers: node bareKoa.mjs PORT ANSWERS
import { Router } from '@koa/router'
import Koa from 'koa'
import { readAnswers } from './answers.mjs'

const [port = '', file = ''] = process.argv.slice(2)
const answers = readAnswers(file)

const answer = (ctx) => {
  const known = answers.get(ctx.path)
  if (known === undefined) return
  if (known.etag !== undefined && ctx.req.headers['if-none-match'] === known.etag) {
    ctx.status = 304
    ctx.set('ETag', known.etag)
    return
  }
  ctx.status = known.status
  ctx.set('Content-Type', known.type)
  ctx.body = known.body
}

const router = new Router()
  .get('/api/storage/v1/tree/:token{/*path}', answer)
  .get('/api/usercontent/v1/tree/id/:userid{/*path}', answer)
  .get('/api/storage/v1/diritems/:token{/*path}', answer)
  .get('/api/usercontent/v1/diritems/id/:userid{/*path}', answer)
  .get('/api/triggers/v1/peek/:id', answer)

new Koa().use(router.routes()).listen(Number(port), '127.0.0.1')
