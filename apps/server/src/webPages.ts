import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { type Headers, jsonType } from '@canopy/http'
import { type Bytes, bytes, type HttpResponse } from './http/HttpResponse.js'
import { json } from './openapi/openapi.yaml.js'

const document: HttpResponse = {
  status: 200,
  headers: { 'Cache-Control': 'public, no-cache', 'Content-Type': jsonType },
  body: bytes(Buffer.from(json)),
}

/** Returns the description of the service for programs. */
export const documentPage = (path: string): HttpResponse | undefined =>
  path === '/openapi.json' ? document : undefined

/** Allows scripts and styles of the page's own origin, and forbids inline ones and frames. */
const page: Headers = {
  'Cache-Control': 'public, no-cache',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Content-Type': 'text/html; charset=utf-8',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
}

/** The name of an asset contains the hash of its content. */
const asset: Headers = { 'Cache-Control': 'public, max-age=31536000, immutable' }

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The build puts the pages beside the server. */
const built = new URL('../dist/web/', import.meta.url)

const read = (name: string): Buffer => readFileSync(new URL(name, built))

/** Reads a file in the forms that the build has compressed, at the highest level. */
const bodyOf = (name: string): Bytes => ({
  ...bytes(read(name)),
  compressed: { br: read(`${name}.br`), gzip: read(`${name}.gz`) },
})

const assetResponse = (name: string): HttpResponse => {
  const type = types[extname(name)]
  if (type === undefined) throw new Error(`unknown file type in the web pages: ${name}`)
  return { status: 200, headers: { ...asset, 'Content-Type': type }, body: bodyOf(name) }
}

/** More slashes than any path of the service has. */
const maxDepth = 300

/**
 * Serves a page from memory. A proxy may add a path prefix that the server does not know, so the addresses of the page's files
 * are relative: one step up for each directory, or one step down at the base path without a slash.
 */
const pageFrom = (name: string, basePath: string): ((path: string) => HttpResponse) => {
  const down = `./${basePath.slice(basePath.lastIndexOf('/') + 1)}/`
  const html = read(name).toString()
  const responses = new Map<number, HttpResponse>()
  return (path) => {
    const depth = Math.min(path.split('/').length - 2, maxDepth)
    const known = responses.get(depth)
    if (known !== undefined) return known
    const root = depth < 0 ? down : depth === 0 ? './' : '../'.repeat(depth)
    const relative = html.replaceAll('"./', `"${root}`)
    const response = { status: 200, headers: page, body: bytes(Buffer.from(relative)) }
    responses.set(depth, response)
    return response
  }
}

const isExplorer = (path: string): boolean =>
  path === '' || path === '/' || path === '/browse' || path.startsWith('/browse/')
const isDocs = (path: string): boolean => path === '/docs' || path === '/docs/'

/** Pages for people: the API at `/docs`, the explorer at `/` and at every address below `/browse`, and their files. */
export const webPages = (explorer: boolean, basePath: string): ((path: string) => HttpResponse | undefined) => {
  const docsPage = pageFrom('docs.html', basePath)
  const explorerPage = pageFrom('index.html', basePath)
  const assets = new Map(
    readdirSync(new URL('assets/', built))
      .filter((name) => !/\.(br|gz)$/.test(name))
      .map((name) => [`/assets/${name}`, assetResponse(`assets/${name}`)]),
  )
  return (path) => {
    if (isDocs(path)) return docsPage(path)
    if (explorer && isExplorer(path)) return explorerPage(path)
    return assets.get(path)
  }
}
