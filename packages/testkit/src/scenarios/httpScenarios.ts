import {
  type Ask,
  byToken,
  type HttpAnswer,
  type HttpScenario,
  line,
  linesHeaders,
  linesOf,
  listingOf,
  peek,
  target,
  treeOf,
} from './Scenario.js'
import { everyOperation, seen, seenOdd, tokens, triggers, visitor, theWorld as world } from './theWorld.js'

const noStore = ['Cache-Control', 'no-store'] as const
const methods = 'GET, HEAD, OPTIONS'

const error = (status: number, name: string, headers: HttpAnswer['headers'] = []): HttpAnswer => ({
  status,
  body: JSON.stringify({ type: 'error', error: name }),
  headers: [['Content-Type', 'application/json; charset=utf-8'], noStore, ...headers],
})

const noSuchRoute = error(404, 'no such route')
const badRequest = error(400, 'bad request')
const methodNotAllowed = error(405, 'method not allowed', [['Allow', methods]])

const scenario = (
  name: string,
  method: string,
  target: string,
  answer: HttpAnswer,
  headers?: HttpScenario['request']['headers'],
): HttpScenario => ({ name, world, request: { method, target, ...(headers && { headers }) }, answer })

const get = (name: string, target: string, answer: HttpAnswer, headers?: HttpScenario['request']['headers']) =>
  scenario(name, 'GET', target, answer, headers)

const ofMethods = everyOperation.flatMap(([what, ask]) => [
  ...['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'TRACE'].map((method) =>
    scenario(`${method} of a ${what} is not allowed`, method, target(ask), methodNotAllowed),
  ),
  scenario(`OPTIONS of a ${what} names the methods`, 'OPTIONS', target(ask), {
    status: 204,
    body: '',
    headers: [
      ['Allow', methods],
      ['Access-Control-Allow-Origin', '*'],
      ['Access-Control-Allow-Methods', methods],
      ['Content-Length', undefined],
    ],
  }),
])

const ofRoutes = [
  '/nothing',
  '/api',
  '/api/storage/v1/tree',
  '/api/storage/v1/tree/',
  '/api/storage/v1/diritems',
  '/api/usercontent/v1/tree/1',
  '/api/usercontent/v1/diritems/1/photos',
  '/api/usercontent/v1/tree/id/',
  '/api/triggers/v1/peek/',
  '/api/triggers/v1/peek/doorbell/',
  '/api/triggers/v1/peek/doorbell/more',
  '/api/storage/v2/tree/x',
  '/API/storage/v1/tree/x',
  '/api/Storage/v1/tree/x',
  '/api/st%6Frage/v1/tree/x',
  '//api/storage/v1/tree/x',
  '/api//storage/v1/tree/x',
  '/favicon.ico',
].flatMap((requestTarget) => [
  get(`${requestTarget} is no route`, requestTarget, noSuchRoute),
  scenario(`DELETE ${requestTarget} is no route either`, 'DELETE', requestTarget, noSuchRoute),
])

const ofTargets = [
  get('a whole URL as target is refused', `http://localhost${target(peek(triggers.doorbell))}`, badRequest),
  get('a raw # in the target is refused', `${target(visitor.tree('/readme.txt'))}#top`, badRequest),
  scenario('the asterisk is refused', 'OPTIONS', '*', badRequest),
  get('two Host headers are refused', target(visitor.tree()), badRequest, [
    ['Host', 'one.example'],
    ['Host', 'two.example'],
  ]),
]

/** Returns the 400 for a malformed query parameter, which names it. */
const malformed = (parameter: string): HttpAnswer => ({
  ...badRequest,
  body: JSON.stringify({ type: 'error', error: 'bad request', parameter }),
})

const malformedParameters = (ask: Ask, parameter: string, queries: ReadonlyArray<string>) =>
  queries.map((query) => get(`?${query} is malformed`, `${target(ask)}?${query}`, malformed(parameter)))

const ofParameters = [
  ...malformedParameters(visitor.tree('/photos'), 'depth', [
    'depth=',
    'depth',
    'depth=-1',
    'depth=01',
    'depth=1.0',
    'depth=two',
    'depth=1&depth=1',
    'depth=%31%',
    'dept%68=x',
  ]),
  ...malformedParameters(visitor.items('/photos'), 'limit', [
    'limit=0',
    'limit=',
    'limit=-5',
    'limit=1e3',
    'limit=1&limit=2',
    'after=%ff&limit=0',
  ]),
  ...malformedParameters(visitor.items('/photos'), 'after', ['after=%ff', 'after=a&after=b', 'limit=1&after=%']),
  get(
    'a malformed parameter is refused before the token is looked at',
    `${target(byToken(tokens.unknown).tree())}?depth=x`,
    malformed('depth'),
  ),
  ...['unknown=1', 'unknown=%zz', 'limit=0', 'after=%ff', 'Depth=x', '', '?', 'depth=9&&x'].map((query) =>
    get(`a tree ignores ?${query}`, `${target(visitor.tree('/readme.txt'))}?${query}`, {
      status: 200,
      body: treeOf(seen.readme).body,
      headers: [],
    }),
  ),
]

const page = (name: string, target: string, { body }: ReturnType<typeof listingOf>, link: string | undefined) =>
  get(name, target, { status: 200, body, headers: [['Link', link]] })

const quoted = seenOdd.filter(({ name }) => name === '"quoted"')

const ofPages = [
  page(
    'a page that is not the last links to the next',
    target(visitor.items('', { limit: 2 })),
    listingOf(seen.empty, seen.odd),
    '<?limit=2&after=odd>; rel="next"',
  ),
  page(
    'the last page links to none, whatever invisible nodes follow',
    target(visitor.items('/photos2', { limit: 1 })),
    listingOf(seen.other),
    undefined,
  ),
  page(
    'the link to the next page is the same where slashes are encoded',
    target(visitor.items('/photos%2F2024%2F', { limit: 1 })),
    listingOf(seen.beach),
    '<?limit=1&after=beach.jpg>; rel="next"',
  ),
  page(
    'a plus in a query is a space',
    `${target(visitor.items('/odd'))}?limit=1&after=+leading+space`,
    listingOf(...quoted),
    '<?limit=1&after=%22quoted%22>; rel="next"',
  ),
]

const answeredBy = (accept: string): HttpScenario['request']['headers'] => [
  ['Host', 'localhost'],
  ['Accept', accept],
]

const ndjson: HttpAnswer = {
  status: 200,
  body: linesOf(line('', seen.readme)).body,
  headers: [
    ['Content-Type', 'application/x-ndjson'],
    ['Cache-Control', 'public, no-cache'],
  ],
}
const json: HttpAnswer = {
  status: 200,
  body: treeOf(seen.readme).body,
  headers: [['Content-Type', 'application/json; charset=utf-8']],
}

const ofRepresentations = [
  ...[
    'application/x-ndjson',
    'Application/X-NDJSON',
    'application/x-ndjson, application/json;q=0.5',
    'application/x-ndjson;q=0.9, */*;q=0.1',
  ].map((accept) =>
    get(`a tree is lines for Accept: ${accept}`, target(visitor.tree('/readme.txt')), ndjson, answeredBy(accept)),
  ),
  ...[
    '*/*',
    'application/*',
    'application/json',
    'text/html',
    'application/json, application/x-ndjson',
    'application/x-ndjson;q=0.1, application/json;q=0.2',
    'application/x-ndjson;q=0, */*',
  ].map((accept) =>
    get(`a tree is JSON for Accept: ${accept}`, target(visitor.tree('/readme.txt')), json, answeredBy(accept)),
  ),
  get('a tree is JSON without Accept', target(visitor.tree('/readme.txt')), json),
  get(
    'a listing is JSON whatever Accept says',
    target(visitor.items('/photos2')),
    { status: 200, body: listingOf(seen.other).body, headers: [] },
    linesHeaders,
  ),
  get(
    'an error is JSON where lines are asked for',
    target(visitor.lines('/nothing')),
    error(404, 'file not found'),
    linesHeaders,
  ),
  ...[
    'after=',
    'after=photos',
    'after=/photos/',
    'after=%ff',
    'after=/a&after=/b',
    'name=',
    'name=%5C',
    'name=a/b',
    'depth=x',
  ].map((query) =>
    get(
      `?${query} is malformed for lines`,
      `${target(visitor.tree('/photos'))}?${query}`,
      malformed(query.replace(/=.*/, '')),
      linesHeaders,
    ),
  ),
  get('a tree ignores ?name=', `${target(visitor.tree('/readme.txt'))}?name=a/b`, json),
]

const ofMalformedRequests = [
  get('raw bytes outside ASCII in a target are refused', target(visitor.tree('/odd/\u00e9')), badRequest),
  get('a request without a Host header is refused', target(visitor.tree()), badRequest, []),
  get('a header that is none is refused', target(visitor.tree()), badRequest, [
    ['Host', 'localhost'],
    ['Two words', 'x'],
  ]),
]

/** The sentences of docs/http-api.md about methods, targets, parameters and pages, in raw bytes. */
export const httpScenarios: ReadonlyArray<HttpScenario> = [
  ...ofMethods,
  ...ofRoutes,
  ...ofTargets,
  ...ofParameters,
  ...ofPages,
  ...ofRepresentations,
  ...ofMalformedRequests,
]
