import { get } from './http.mjs'
import { names } from './plant.mjs'

const wrong = (path, what) => {
  throw new Error(`${path}: ${what}. Nothing was measured`)
}

const jsonAt = async (port, path, headers) => {
  const { status, body } = await get(port, path, headers)
  if (status !== 200) wrong(path, `status ${status}`)
  return { json: JSON.parse(body.toString()), bytes: body.length }
}

const checkNames = (path, items, count) => {
  const found = items.map(({ name }) => name).sort()
  const planned = names(count)
  if (found.length !== count) wrong(path, `${found.length} names instead of ${count}`)
  const other = found.findIndex((name, index) => name !== planned[index])
  if (other !== -1) wrong(path, `${found[other]} instead of ${planned[other]}`)
}

/** Each of these sees to it that an answer is whole and right before it is timed, and gives its length in bytes. */

export const checkListing = async (port, path, count) => {
  const { json, bytes } = await jsonAt(port, path)
  if (json.type !== 'dir content') wrong(path, `type ${json.type}`)
  checkNames(path, json.content, count)
  return bytes
}

/** The listing of another program, as JSON. `itemsIn` returns objects with a name. */
export const checkForeignListing = async (port, path, count, { headers, itemsIn = (json) => json } = {}) => {
  const { json, bytes } = await jsonAt(port, path, headers)
  checkNames(path, itemsIn(json), count)
  return bytes
}

const nodesBelow = ({ content = [] }) => content.reduce((nodes, child) => nodes + 1 + nodesBelow(child), 0)

export const checkTree = async (port, path, nodes) => {
  const { json, bytes } = await jsonAt(port, path)
  const found = nodesBelow(json.content)
  if (found !== nodes) wrong(path, `${found} nodes instead of ${nodes}`)
  return bytes
}

/** The lines of a tree: one for each node, one for the requested directory, and the end. */
export const checkLines = async (port, path, nodes) => {
  const { status, body } = await get(port, path, { Accept: 'application/x-ndjson' })
  if (status !== 200) wrong(path, `status ${status}`)
  const found = body.toString().split('\n').length - 3
  if (found !== nodes) wrong(path, `${found} lines instead of ${nodes}`)
  return body.length
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
