import { gunzipSync } from 'node:zlib'
import { get } from './http.mjs'
import { names } from './names.mjs'

const wrong = (path, what) => {
  throw new Error(`${path}: ${what}. Nothing was measured`)
}

/** The length is that of the body as it was sent. */
const jsonAt = async (port, path, asked = {}) => {
  const { status, headers, body } = await get(port, path, asked)
  if (status !== 200) wrong(path, `status ${status}`)
  const encoding = headers['content-encoding']
  if (encoding !== asked['Accept-Encoding']) wrong(path, `encoding ${encoding}`)
  const whole = encoding === 'gzip' ? gunzipSync(body) : body
  return { json: JSON.parse(whole.toString()), bytes: body.length }
}

const checkNames = (path, items, count) => {
  const told = items.map(({ name }) => name).sort()
  const planned = names(count)
  if (told.length !== count) wrong(path, `${told.length} names instead of ${count}`)
  const other = told.findIndex((name, index) => name !== planned[index])
  if (other !== -1) wrong(path, `${told[other]} instead of ${planned[other]}`)
}

/** Each of these sees to it that an answer is whole and right before it is timed, and gives its length in bytes. */

export const checkListing = async (port, path, count, headers) => {
  const { json, bytes } = await jsonAt(port, path, headers)
  if (json.type !== 'dir content') wrong(path, `type ${json.type}`)
  checkNames(path, json.content, count)
  return bytes
}

/** What nginx and Caddy answer: an array of objects with a name. */
export const checkForeignListing = async (port, path, headers, count) => {
  const { json, bytes } = await jsonAt(port, path, headers)
  checkNames(path, json, count)
  return bytes
}

const nodesBelow = ({ content = [] }) => content.reduce((nodes, child) => nodes + 1 + nodesBelow(child), 0)

export const checkTree = async (port, path, nodes) => {
  const { json, bytes } = await jsonAt(port, path)
  const told = nodesBelow(json.content)
  if (told !== nodes) wrong(path, `${told} nodes instead of ${nodes}`)
  return bytes
}

export const checkSame = async (port, path, port2, expected = 200) => {
  const [one, other] = await Promise.all([get(port, path), get(port2, path)])
  if (one.status !== expected || other.status !== expected || !one.body.equals(other.body))
    wrong(path, 'not the same bytes')
  if (one.headers['content-type'] !== other.headers['content-type']) wrong(path, 'not the same type')
  return one.body.length
}

/** Sees to it that a tag is answered by 304 and nothing else, and another tag by the whole answer. */
export const checkConditional = async (port, path, etag) => {
  const again = await get(port, path, { 'If-None-Match': etag })
  if (again.status !== 304 || again.body.length > 0) wrong(path, `status ${again.status} for its own tag`)
  const other = await get(port, path, { 'If-None-Match': '"another"' })
  if (other.status !== 200) wrong(path, `status ${other.status} for another tag`)
}

export const tagOf = async (port, path) => {
  const { etag } = (await get(port, path)).headers
  return etag ?? wrong(path, 'no entity tag')
}
