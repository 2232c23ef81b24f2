import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { type Answer, type Bytes, bytes, type Headers, jsonType } from './http/answers.js'
import { json } from './openapi/openapi.yaml.js'

const document: Answer = {
  status: 200,
  headers: { 'Cache-Control': 'public, no-cache', 'Content-Type': jsonType },
  body: bytes(Buffer.from(json)),
}

/** The description of the service for programs. */
export const documentPage = (path: string): Answer | undefined => (path === '/openapi.json' ? document : undefined)

/** Nothing from elsewhere, nothing inline, in no frame. */
const page: Headers = {
  'Cache-Control': 'public, no-cache',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Content-Type': 'text/html; charset=utf-8',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
}

/** Their names hold a hash of what is in them. */
const asset: Headers = { 'Cache-Control': 'public, max-age=31536000, immutable' }

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The built pages, beside the built server. */
const built = new URL('../dist/web/', import.meta.url)

const read = (name: string): Buffer => readFileSync(new URL(name, built))

/** The build has compressed each file as hard as it goes. */
const bodyOf = (name: string): Bytes => ({
  ...bytes(read(name)),
  compressed: { br: read(`${name}.br`), gzip: read(`${name}.gz`) },
})

const assetAnswer = (name: string): Answer => {
  const type = types[extname(name)]
  if (type === undefined) throw new Error(`the web pages have a file of an unknown type: ${name}`)
  return { status: 200, headers: { ...asset, 'Content-Type': type }, body: bodyOf(name) }
}

/** More slashes than any path of the service has. */
const deepest = 300

/**
 * A page, from memory. It may be behind a path prefix that only the proxy knows, so the addresses of its files are
 * relative, one step up for each directory. At the base path alone, without a slash, they are one step down.
 */
const pageFrom = (name: string, basePath: string): ((path: string) => Answer) => {
  const down = `./${basePath.slice(basePath.lastIndexOf('/') + 1)}/`
  const html = read(name).toString()
  const answers = new Map<number, Answer>()
  return (path) => {
    const depth = Math.min(path.split('/').length - 2, deepest)
    const known = answers.get(depth)
    if (known !== undefined) return known
    const root = depth < 0 ? down : depth === 0 ? './' : '../'.repeat(depth)
    const relative = html.replaceAll('"./', `"${root}`)
    const answer = { status: 200, headers: page, body: bytes(Buffer.from(relative)) }
    answers.set(depth, answer)
    return answer
  }
}

const isExplorer = (path: string): boolean =>
  path === '' || path === '/' || path === '/browse' || path.startsWith('/browse/')
const isDocs = (path: string): boolean => path === '/docs' || path === '/docs/'

/** What people open in a browser: the API at `/docs`, the explorer at `/` and at every address below `/browse`, and their files. */
export const webPages = (explorer: boolean, basePath: string): ((path: string) => Answer | undefined) => {
  const docsPage = pageFrom('docs.html', basePath)
  const explorerPage = pageFrom('index.html', basePath)
  const assets = new Map(
    readdirSync(new URL('assets/', built))
      .filter((name) => !/\.(br|gz)$/.test(name))
      .map((name) => [`/assets/${name}`, assetAnswer(`assets/${name}`)]),
  )
  return (path) => {
    if (isDocs(path)) return docsPage(path)
    if (explorer && isExplorer(path)) return explorerPage(path)
    return assets.get(path)
  }
}
