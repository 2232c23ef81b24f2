import type { HttpAnswer, HttpScenario } from './Scenario.js'
import { readmeText, tokens, theWorld as world } from './theWorld.js'

const contentType = ['Content-Type', 'text/plain; charset=utf-8'] as const
const sandboxed = ['Content-Security-Policy', "default-src 'none'; sandbox"] as const

const content = (body: string, status: number, ...headers: HttpAnswer['headers']): HttpAnswer => ({
  status,
  body,
  headers: [['Accept-Ranges', 'bytes'], sandboxed, ...headers],
})

const error = (status: number, name: string, ...headers: HttpAnswer['headers']): HttpAnswer => ({
  status,
  body: JSON.stringify({ type: 'error', error: name }),
  headers: [['Cache-Control', 'no-store'], ...headers],
})

const get = (name: string, path: string, answer: HttpAnswer, range?: string): HttpScenario => ({
  name,
  world,
  request: {
    method: 'GET',
    target: `/files/${path}`,
    ...(range === undefined
      ? {}
      : {
          headers: [
            ['Host', 'localhost'],
            ['Range', range],
          ],
        }),
  },
  answer,
})

const [owner, scoped] = [`token/${tokens.owner}`, `token/${tokens.scoped}`]

const ranges = [
  ['bytes=7-', 'canopy\n', '7-13'],
  ['bytes=-7', 'canopy\n', '7-13'],
  ['bytes=0-4', 'Hello', '0-4'],
  ['bytes=12-99', 'y\n', '12-13'],
] as const

/** The sentences of docs/files.md about who may read a file, and which bytes. */
export const fileScenarios: ReadonlyArray<HttpScenario> = [
  get(
    'a visitor reads a visible file as text in a sandbox',
    'id/1/readme.txt',
    content(readmeText, 200, contentType, ['Cache-Control', 'public, no-cache']),
  ),
  get(
    'the owner reads a private file, which no page of another origin may show',
    `${owner}/private/diary.txt`,
    content(
      '\0'.repeat(5),
      200,
      ['Cache-Control', 'private, no-cache'],
      ['Cross-Origin-Resource-Policy', 'same-origin'],
    ),
  ),
  get('a token reads files in its scope', `${scoped}/photos/cover.jpg`, content('\0'.repeat(512), 200)),
  get(
    'a visitor reads a public file below a private directory',
    'id/1/private/shared/note.txt',
    content('\0'.repeat(4), 200),
  ),
  ...ranges.map(([range, body, selected]) =>
    get(
      `a file sends the bytes of the range ${range}`,
      'id/1/readme.txt',
      content(body, 206, ['Content-Range', `bytes ${selected}/14`]),
      range,
    ),
  ),
  get('a file ignores two ranges at once', 'id/1/readme.txt', content(readmeText, 200), 'bytes=0-1,3-4'),
  get(
    'a range behind the end of a file is refused',
    'id/1/readme.txt',
    error(416, 'bad request', ['Content-Range', 'bytes */14']),
    'bytes=14-',
  ),
  get('a visitor is denied a private file', 'id/1/private/diary.txt', error(403, 'permission denied')),
  get('a visitor is denied a missing file alike', 'id/1/private/nothing', error(403, 'permission denied')),
  get('a token is denied files outside its scope', `${scoped}/readme.txt`, error(403, 'permission denied')),
  get('an expired token reads no file', `token/${tokens.expired}/readme.txt`, error(401, 'invalid token')),
  get(
    'a file of an unverified account is not verified',
    `token/${tokens.unverified}/a.txt`,
    error(403, 'not verified'),
  ),
  get('a missing file is not found', 'id/1/nothing', error(404, 'file not found')),
  get('a link to a file is not found', `${owner}/link%20to%20readme`, error(404, 'file not found')),
  get('a directory is no file', 'id/1/photos', error(409, 'type mismatch')),
  get('a file with a trailing slash is a mismatch', 'id/1/readme.txt/', error(409, 'type mismatch')),
  get('a file of an area whose root is missing is external', 'id/4/a.txt', error(502, 'external')),
]
