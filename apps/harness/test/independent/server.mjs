// A second implementation of the interface, from the documents alone: `node server.mjs fixture.json` prints its port.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { accounts, triggers } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const refuse = (error, parameter) => {
  throw { error, parameter }
}
const decode = (text) => {
  try {
    return decodeURIComponent(text)
  } catch {}
}
const [bytes, above] = [(text) => Buffer.from(text), (path) => path.slice(0, path.lastIndexOf('/'))]
const visibilityAt = (settings, path, at = path) => {
  const own = settings.find((setting) => setting.path === (at || '/'))
  if (own || at === '') return { inherited: at !== path, visibility: own?.visibility ?? 'private' }
  return visibilityAt(settings, path, above(at))
}
const parsePath = (raw) => {
  const names =
    raw.length < 2
      ? []
      : raw
          .slice(1)
          .split(/\/|%2f/i)
          .map(decode)
  const isDirectory = names.length > 1 && names.at(-1) === '' && names.pop() === ''
  const isName = (name) => name && !/^\.\.?$|\0/.test(name) && bytes(name).length < 256
  const path = names.map((name) => `/${name}`).join('')
  const isPath = names.every(isName) && names.length < 256 && bytes(path).length <= 4097
  return isPath ? { path, isDirectory } : refuse('file not found')
}
const authorize = (isOwner, credential, rawPath) => {
  const key = decode(credential)
  const valid = accounts.flatMap(({ tokens }) => tokens).find(({ token, state }) => token === key && state === 'valid')
  const account = accounts.find(({ id, tokens }) => (isOwner ? tokens.includes(valid) : id === key))
  if (isOwner && !account?.verified) refuse(account ? 'not verified' : 'invalid token')
  const { path, isDirectory } = parsePath(rawPath)
  const canReach = (at) => isOwner || visibilityAt(account.settings, at).visibility !== 'private'
  const isInScope = `${path}/`.startsWith(valid?.scope.replace(/\/?$/, '/') ?? '/')
  return account?.verified && isInScope && canReach(path)
    ? { account, canReach, path, isDirectory, isOwner }
    : refuse('permission denied')
}
const nodeIn = ({ area, settings }, path) => {
  const node =
    path === '' ? { path, type: 'dir' } : area.find((each) => each.path === path && /^(dir|file)$/.test(each.type))
  return node && { ...node, name: path.slice(above(path).length + 1), visibility: visibilityAt(settings, path) }
}
const find = ({ account, canReach, path, isDirectory }) => {
  if (account.area === 'missing') refuse('external')
  const node = nodeIn(account, path)
  let at = path
  while (at !== '' && nodeIn(account, at)?.type !== 'file') at = above(at)
  if (at !== '' && (at !== path || isDirectory)) refuse(canReach(at) ? 'type mismatch' : 'file not found')
  return node ?? refuse('file not found')
}
const childrenOf = ({ account, isOwner }, path) =>
  account.area
    .flatMap((node) => (above(node.path) === path ? (nodeIn(account, node.path) ?? []) : []))
    .filter(
      ({ visibility: { inherited, visibility } }) =>
        isOwner || visibility === 'public' || (visibility === 'hidden' && inherited),
    )
    .sort((one, other) => Buffer.compare(bytes(one.name), bytes(other.name)))
const treeOf = (access, { path, type, name, size, last_modified, visibility }, depth) => {
  if (type === 'file') return { type, name, size, last_modified, visibility }
  const content = depth > 0 ? childrenOf(access, path).map((child) => treeOf(access, child, depth - 1)) : undefined
  return { type, name, visibility, content }
}
const parameter = (query, name, pattern) => {
  const pairs = query.split('&').map((pair) => pair.replaceAll('+', ' ').split(/=(.*)/s))
  const [found, second] = pairs.filter(([key]) => decode(key) === name)
  const value = found && decode(found[1] ?? '')
  return second || (found && (value === undefined || !pattern.test(value))) ? refuse('bad request', name) : value
}
const operations = {
  tree: (query, authorized) => {
    const depth = parameter(query, 'depth', /^(0|[1-9]\d*)$/) ?? 1 / 0
    const access = authorized()
    return [{ type: 'tree', content: treeOf(access, find(access), depth) }]
  },
  diritems: (query, authorized) => {
    const [limit, after] = [parameter(query, 'limit', /^[1-9]\d*$/), bytes(parameter(query, 'after', /^/) ?? '')]
    const access = authorized()
    if (find(access).type === 'file') refuse('type mismatch')
    const rest = childrenOf(access, access.path).filter(({ name }) => Buffer.compare(bytes(name), after) > 0)
    const content = rest.slice(0, limit).map(({ type, name, size = 0, last_modified, visibility }) => ({
      visibility,
      is_file: type === 'file',
      name,
      last_modified,
      size,
    }))
    const next =
      content.length < rest.length && `<?limit=${limit}&after=${encodeURIComponent(content.at(-1).name)}>; rel="next"`
    return [{ type: 'dir content', content }, next ? { Link: next } : {}]
  },
}
const peek = (id, value = triggers.find((each) => each.id === id && each.state === 'valid')?.value) =>
  value?.startsWith('{')
    ? { body: `{"type":"trigger peak","value":${value}}` }
    : refuse(value ? 'external' : 'trigger not found')
const methods = { Allow: 'GET, HEAD, OPTIONS', 'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS' }
const route = /^\/api\/(?:(storage)\/v1\/(tree|diritems)|usercontent\/v1\/(tree|diritems)\/id)\/([^/]+)(\/.*)?$/s
const answer = ({ method, url, rawHeaders }) => {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name))
  if (!/^\/[!-"$-~]*$/.test(url) || hosts.length !== 1) refuse('bad request')
  const [path, query = ''] = url.split(/\?(.*)/s)
  const trigger = /^\/api\/triggers\/v1\/peek\/([^/]+)$/.exec(path)
  const [, isOwner, tree, items, credential, rest = ''] = route.exec(path) ?? trigger ?? refuse('no such route')
  if (method === 'OPTIONS') return { status: 204, headers: methods }
  if (!['GET', 'HEAD'].includes(method)) refuse('method not allowed')
  if (trigger) return peek(decode(trigger[1]))
  const [value, headers] = operations[tree ?? items](query, () => authorize(isOwner, credential, rest))
  const body = JSON.stringify(value)
  const ETag = `"${createHash('sha256').update(body).digest('base64url')}"`
  return { body, headers: { ETag, 'Cache-Control': `${isOwner ? 'private' : 'public'}, no-cache`, ...headers } }
}
const statuses = {
  'bad request': 400,
  'invalid token': 401,
  'not verified': 403,
  'permission denied': 403,
  'method not allowed': 405,
  'type mismatch': 409,
  external: 502,
}
const every = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  'Access-Control-Allow-Origin': '*',
}
const refusal = ({ error, parameter }) => ({
  status: statuses[error] ?? 404,
  headers: {
    ...(error === 'method not allowed' && methods),
    ...(error === 'invalid token' && { 'WWW-Authenticate': 'PathToken' }),
  },
  body: JSON.stringify({ type: 'error', error, parameter }),
})
const server = createServer({ requireHostHeader: false }, (request, response) => {
  const {
    status = 200,
    headers = {},
    body = '',
  } = (() => {
    try {
      return answer(request)
    } catch (refused) {
      return refusal(refused)
    }
  })()
  const isSame = headers.ETag && request.headers['if-none-match'] === headers.ETag
  const length = body === '' || isSame ? {} : { 'Content-Length': bytes(body).length }
  response.writeHead(isSame ? 304 : status, { ...every, ...length, ...headers }).end(isSame ? '' : body)
})
server.on('clientError', (_, socket) => {
  const head = Object.entries({ ...every, Connection: 'close' })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  socket.end(`HTTP/1.1 400 Bad Request\r\n${head}\r\n${refusal({ error: 'bad request' }).body}`)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
