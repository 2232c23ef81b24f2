import { Envelope } from '@canopy/domain'
import type { QueryParameter, Refusal, RefusalName } from '../Refusal.js'
import { type BytesAnswer, type Headers, json } from './Answer.js'

/** The methods of every operation. */
export const allow = 'GET, HEAD, OPTIONS'

export const statuses: { readonly [Name in RefusalName]: number } = {
  'invalid token': 401,
  'not verified': 403,
  'permission denied': 403,
  'file not found': 404,
  'type mismatch': 409,
  external: 502,
  'trigger not found': 404,
  'no such route': 404,
  'method not allowed': 405,
  'bad request': 400,
  'too many requests': 429,
  overloaded: 503,
}

const headers: { readonly [Name in RefusalName]?: Headers } = {
  'invalid token': { 'WWW-Authenticate': 'PathToken' },
  'method not allowed': { Allow: allow },
  overloaded: { 'Retry-After': '1' },
}

const answerTo = (name: RefusalName, envelope = Envelope.errorJson(name)): BytesAnswer => ({
  status: statuses[name],
  headers: { 'Cache-Control': 'no-store', ...headers[name] },
  body: json(envelope),
})

const malformed = (parameter: QueryParameter): BytesAnswer =>
  answerTo('bad request', JSON.stringify({ type: 'error', error: 'bad request', parameter }))

const byParameter: { readonly [Parameter in QueryParameter]: BytesAnswer } = {
  depth: malformed('depth'),
  limit: malformed('limit'),
  after: malformed('after'),
}

const answers = new Map(Object.keys(statuses).map((name) => [name, answerTo(name as RefusalName)]))

/** The same bytes for each name and parameter, whatever lies behind it. */
export const refusalAnswer = (refusal: Refusal): BytesAnswer => {
  if (refusal.error === 'bad request' && refusal.parameter !== undefined) return byParameter[refusal.parameter]
  const answer = answers.get(refusal.error) ?? answerTo(refusal.error)
  if (refusal.error === 'too many requests')
    return { ...answer, headers: { ...answer.headers, 'Retry-After': `${refusal.retryAfterSeconds}` } }
  return refusal.error === 'bad request' && refusal.status !== answer.status
    ? { ...answer, status: refusal.status }
    : answer
}
