import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Answer, Headers } from './http/answers.js'

/** Nothing from elsewhere, nothing inline, in no frame. */
const page: Headers = {
  'Cache-Control': 'public, no-cache',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
}

/** Their names hold a hash of what is in them. */
const asset: Headers = { 'Cache-Control': 'public, max-age=31536000, immutable' }

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const answer = (name: string, headers: Headers, bytes: Buffer): Answer => {
  const type = types[extname(name)]
  if (type === undefined) throw new Error(`the explorer has a file of an unknown type: ${name}`)
  return { status: 200, headers: { ...headers, 'Content-Type': type }, body: { is: 'bytes', bytes, nodes: 0 } }
}

/** More slashes than any path of the service has. */
const deepest = 300

const isPage = (path: string): boolean => path === '/' || path === '/browse' || path.startsWith('/browse/')

/** The built page, beside the built server. */
const built = new URL('../dist/explorer/', import.meta.url)

/**
 * The web page, from memory: itself at `/` and at every address below `/browse`, and its files. It may be behind a path
 * prefix that only the proxy knows, so the addresses of its files are relative, one step up for each directory.
 */
export const explorerPages = (): ((path: string) => Answer | undefined) => {
  const html = readFileSync(new URL('index.html', built), 'utf8')
  const assets = new Map(
    readdirSync(new URL('explorer/', built)).map((name) => [
      `/explorer/${name}`,
      answer(name, asset, readFileSync(new URL(`explorer/${name}`, built))),
    ]),
  )
  const pages = new Map<number, Answer>()
  const pageAt = (path: string): Answer => {
    const depth = Math.min(path.split('/').length - 2, deepest)
    const found =
      pages.get(depth) ??
      answer('index.html', page, Buffer.from(html.replaceAll('"./', `"${depth === 0 ? './' : '../'.repeat(depth)}`)))
    pages.set(depth, found)
    return found
  }
  return (path) => (isPage(path) ? pageAt(path) : assets.get(path))
}
