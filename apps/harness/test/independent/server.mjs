// A second implementation of core and paging, from the documents alone: `node server.mjs fixture.json` prints its port.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, dirname } from 'node:path/posix'

const { accounts, triggers } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const json = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }
const safety = { 'X-Content-Type-Options': 'nosniff', 'X-Robots-Tag': 'noindex', 'Access-Control-Allow-Origin': '*' }
const methods = { Allow: 'GET, HEAD, OPTIONS', 'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS' }
const refuse = (status, error, parameter) => {
  const headers = status === 401 ? { 'WWW-Authenticate': 'PathToken' } : {}
  throw { status, headers, body: JSON.stringify({ type: 'error', error, parameter }) }
}
const decode = (text) => {
  try {
    return decodeURIComponent(text)
  } catch {}
}
const compareBytes = (one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))
const visibilityAt = (settings, path, at = path) => {
  const own = settings.find((setting) => setting.path === at) ?? (at === '/' && { visibility: 'private' })
  return own ? { inherited: at !== path, visibility: own.visibility } : visibilityAt(settings, path, dirname(at))
}
const isListed = ({ inherited, visibility }) => visibility === 'public' || (visibility === 'hidden' && inherited)
/** Returns the nodes by path, with the children that the client sees. In byte order, a directory precedes its children. */
const nodesOf = ({ area, settings }, isOwner) => {
  const nodes = new Map([['/', { type: 'dir', name: '', visibility: visibilityAt(settings, '/'), children: [] }]])
  for (const { path, type, size = 0, last_modified } of area.sort((one, other) => compareBytes(one.path, other.path))) {
    const visibility = visibilityAt(settings, path)
    const node = { type, name: basename(path), size, last_modified, visibility, children: [] }
    if (type === 'dir' || type === 'file') nodes.set(path, node)
    if (nodes.has(path) && (isOwner || isListed(visibility))) nodes.get(dirname(path)).children.push(node)
  }
  return nodes
}
const find = (isOwner, credential, rawPath) => {
  const isGrant = ({ token, state }) => token === credential && state === 'valid'
  const account = accounts.find(({ id, tokens }) => (isOwner ? tokens.some(isGrant) : id === credential))
  if (isOwner && !account?.verified) refuse(...(account ? [403, 'not verified'] : [401, 'invalid token']))
  const decoded = decode(rawPath)
  if (decoded === undefined || decoded.includes('//')) refuse(404, 'file not found')
  const path = decoded.replace(/\/$/, '') || '/'
  const scope = account?.tokens.find(isGrant)?.scope.replace(/\/$/, '') ?? ''
  const canReach = (at) => isOwner || visibilityAt(account.settings, at).visibility !== 'private'
  if (!account?.verified || !`${path}/`.startsWith(`${scope}/`) || !canReach(path)) refuse(403, 'permission denied')
  const nodes = account.area === 'missing' ? refuse(502, 'external') : nodesOf(account, isOwner)
  let at = path
  while (!nodes.has(at)) at = dirname(at)
  if (nodes.get(at).type === 'file' && (at !== path || decoded.endsWith('/')) && canReach(at))
    refuse(409, 'type mismatch')
  return at === path ? nodes.get(at) : refuse(404, 'file not found')
}
const parameter = (query, name, pattern) => {
  const values = new URLSearchParams(query).getAll(name)
  return values.length < 2 && values.every((each) => pattern.test(each)) ? values[0] : refuse(400, 'bad request', name)
}
const treeOf = (depth, { children, size, last_modified, ...node }) => {
  if (node.type === 'file') return { ...node, size, last_modified }
  return depth > 0 ? { ...node, content: children.map((child) => treeOf(depth - 1, child)) } : node
}
const depthIn = (query) => parameter(query, 'depth', /^(0|[1-9]\d*)$/) ?? 999
const tree = (query, findNode) => [{ type: 'tree', content: treeOf(depthIn(query), findNode()) }]
const listing = (query, findNode) => {
  const [limit, after] = [parameter(query, 'limit', /^[1-9]\d*$/), parameter(query, 'after', /^/) ?? '']
  const { type, children } = decode(query) === undefined ? refuse(400, 'bad request', 'after') : findNode()
  if (type === 'file') refuse(409, 'type mismatch')
  const rest = children.filter(({ name }) => compareBytes(name, after) > 0)
  const page = rest.slice(0, limit)
  const content = page.map(({ type, ...item }) => ({ ...item, is_file: type === 'file', children: undefined }))
  const Link = `<?limit=${limit}&after=${encodeURIComponent(page.at(-1)?.name)}>; rel="next"`
  return [{ type: 'dir content', content }, page.length < rest.length && { Link }]
}
const peek = (id) => {
  const { value } = triggers.find((one) => one.id === id && one.state === 'valid') ?? refuse(404, 'trigger not found')
  return value.startsWith('{') ? `{"type":"trigger peak","value":${value}}` : refuse(502, 'external')
}
const nodeRoute = /^\/api\/(storage\/v1\/(?:tree|diritems)|usercontent\/v1\/(?:tree|diritems)\/id)\/([^/]+)(.*)$/
const answer = async ({ method, url, headers, headersDistinct }) => {
  if (!/^\/[!-"$-~]*$/.test(url) || headersDistinct.host?.length !== 1) refuse(400, 'bad request')
  const [path, query = ''] = url.split(/\?(.*)/)
  const trigger = /^\/api\/triggers\/v1\/peek\/([^/]+)$/.exec(path)
  const [, operation, credential, rest] = trigger ?? nodeRoute.exec(path) ?? refuse(404, 'no such route')
  if (method === 'OPTIONS') return { status: 204 }
  if (method !== 'GET' && method !== 'HEAD') refuse(405, 'method not allowed')
  if (trigger) return { status: 200, body: peek(decode(trigger[1])) }
  const isOwner = operation.startsWith('storage')
  const findNode = () => find(isOwner, decode(credential), rest)
  const [value, link] = operation.includes('tree') ? tree(query, findNode) : listing(query, findNode)
  const body = JSON.stringify(value)
  const ETag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const ownHeaders = { ETag, 'Cache-Control': `${isOwner ? 'private' : 'public'}, no-cache`, ...link }
  return { status: headers['if-none-match'] === ETag ? 304 : 200, body, headers: ownHeaders }
}
const server = createServer({ requireHostHeader: false }, async (request, response) => {
  const { status, headers, body = '' } = await answer(request).catch((refusal) => refusal)
  if (body) response.setHeader('Content-Length', Buffer.byteLength(body))
  response.writeHead(status, { ...json, ...safety, ...methods, ...headers }).end(body)
})
const rawHeaders = Object.entries({ ...json, ...safety }).map((header) => header.join(': '))
const rawBadRequest = ['HTTP/1.1 400 Bad Request', ...rawHeaders, '', '{"type":"error","error":"bad request"}']
server.on('clientError', (_, socket) => socket.end(rawBadRequest.join('\r\n')))
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
