import {
  type Ask,
  dirContent,
  dirItem,
  fileItem,
  fileNode,
  type HttpAnswer,
  type HttpScenario,
  inherited,
  ownerTree,
  peek,
  target,
  tree,
  visitorItems,
  visitorTree,
} from './Scenario.js'
import { everyOperation, tokens, triggers, theWorld as world } from './theWorld.js'

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

const asked = (
  name: string,
  method: string,
  requestTarget: string,
  answer: HttpAnswer,
  headers?: HttpScenario['request']['headers'],
): HttpScenario => ({
  name,
  world,
  request: { method, target: requestTarget, ...(headers === undefined ? {} : { headers }) },
  answer,
})

const readmeBody = JSON.stringify(tree(fileNode('readme.txt', 14, 1700000001, inherited('public'))))

const ofMethods = everyOperation.flatMap(([what, ask]) => [
  ...['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'TRACE'].map((method) =>
    asked(`${method} of a ${what} is not allowed`, method, target(ask), methodNotAllowed),
  ),
  asked(`OPTIONS of a ${what} names the methods`, 'OPTIONS', target(ask), {
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
  asked(`${requestTarget} is no route`, 'GET', requestTarget, noSuchRoute),
  asked(`DELETE ${requestTarget} is no route either`, 'DELETE', requestTarget, noSuchRoute),
])

const ofTargets = [
  asked('a whole URL as target is refused', 'GET', `http://localhost${target(peek(triggers.doorbell))}`, badRequest),
  asked('a raw # in the target is refused', 'GET', `${target(visitorTree('1', '/readme.txt'))}#top`, badRequest),
  asked('the asterisk is refused', 'OPTIONS', '*', badRequest),
  asked('two Host headers are refused', 'GET', target(visitorTree('1')), badRequest, [
    ['Host', 'one.example'],
    ['Host', 'two.example'],
  ]),
]

/** A 400 for a malformed query parameter names it. */
const malformed = (parameter: string): HttpAnswer => ({
  ...badRequest,
  body: JSON.stringify({ type: 'error', error: 'bad request', parameter }),
})

const malformedParameters = (ask: Ask, parameter: string, queries: ReadonlyArray<string>) =>
  queries.map((query) => asked(`?${query} is malformed`, 'GET', `${target(ask)}?${query}`, malformed(parameter)))

const ofParameters = [
  ...malformedParameters(visitorTree('1', '/photos'), 'depth', [
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
  ...malformedParameters(visitorItems('1', '/photos'), 'limit', [
    'limit=0',
    'limit=',
    'limit=-5',
    'limit=1e3',
    'limit=1&limit=2',
    'after=%ff&limit=0',
  ]),
  ...malformedParameters(visitorItems('1', '/photos'), 'after', ['after=%ff', 'after=a&after=b', 'limit=1&after=%']),
  asked(
    'a malformed parameter is refused before the token is looked at',
    'GET',
    `${target(ownerTree(tokens.unknown))}?depth=x`,
    malformed('depth'),
  ),
  ...['unknown=1', 'unknown=%zz', 'limit=0', 'after=%ff', 'Depth=x', '', '?', 'depth=9&&x'].map((query) =>
    asked(`a tree ignores ?${query}`, 'GET', `${target(visitorTree('1', '/readme.txt'))}?${query}`, {
      status: 200,
      body: readmeBody,
      headers: [],
    }),
  ),
]

const firstPage = JSON.stringify(
  dirContent(dirItem('empty', 100, inherited('public')), dirItem('odd', 101, inherited('public'))),
)

const ofPages = [
  asked('a page that is not the last links to the next', 'GET', target(visitorItems('1', '', { limit: 2 })), {
    status: 200,
    body: firstPage,
    headers: [['Link', '<?limit=2&after=odd>; rel="next"']],
  }),
  asked(
    'the last page links to none, whatever invisible nodes follow',
    'GET',
    target(visitorItems('1', '', { limit: 5 })),
    {
      status: 200,
      body: JSON.stringify(
        dirContent(
          dirItem('empty', 100, inherited('public')),
          dirItem('odd', 101, inherited('public')),
          dirItem('photos', 102, inherited('public')),
          dirItem('photos2', 107, inherited('public')),
          { visibility: inherited('public'), is_file: true, name: 'readme.txt', last_modified: 1700000001, size: 14 },
        ),
      ),
      headers: [['Link', undefined]],
    },
  ),
  asked(
    'the link to the next page is the same where slashes are encoded',
    'GET',
    target(visitorItems('1', '/photos%2F2024%2F', { limit: 1 })),
    {
      status: 200,
      body: JSON.stringify(dirContent(fileItem('beach.jpg', 2048, 1704067200, inherited('hidden')))),
      headers: [['Link', '<?limit=1&after=beach.jpg>; rel="next"']],
    },
  ),
  asked('a plus in a query is a space', 'GET', `${target(visitorItems('1', '/odd'))}?limit=1&after=+leading+space`, {
    status: 200,
    body: JSON.stringify(dirContent(fileItem('"quoted"', 1, 1001, inherited('public')))),
    headers: [['Link', '<?limit=1&after=%22quoted%22>; rel="next"']],
  }),
]

const ofMalformedRequests = [
  asked('raw bytes outside ASCII in a target are refused', 'GET', target(visitorTree('1', '/odd/\u00e9')), badRequest),
  asked('a request without a Host header is refused', 'GET', target(visitorTree('1')), badRequest, []),
  asked('a header that is none is refused', 'GET', target(visitorTree('1')), badRequest, [
    ['Host', 'localhost'],
    ['Two words', 'x'],
  ]),
]

/** What the decisions say of HTTP (23 to 29), asked in raw bytes. */
export const httpScenarios: ReadonlyArray<HttpScenario> = [
  ...ofMethods,
  ...ofRoutes,
  ...ofTargets,
  ...ofParameters,
  ...ofPages,
  ...ofMalformedRequests,
]
