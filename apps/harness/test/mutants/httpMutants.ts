import { headerOf } from '@canopy/testkit'
import { errorOf, failing, withHeader, withoutHeader, withStatus, withText } from './answers.js'
import type { Misanswering, Mutant } from './Mutant.js'
import { isOwners, isPeek } from './targets.js'

const withError =
  (error: string, status: number): Misanswering =>
  (answer) =>
    errorOf(answer) === error ? withStatus(answer, status) : answer

/** Errors, methods, routes and headers (decisions 25 and 27 to 29). */
export const httpMutants: ReadonlyArray<Mutant> = [
  {
    name: 'tells more in an error than its name',
    caughtBy: 'a tree of a missing name is not found',
    answered: (answer) =>
      answer.status < 400
        ? answer
        : withText(answer, JSON.stringify({ ...JSON.parse(answer.body.toString()), message: 'ENOENT' })),
  },
  {
    name: 'answers errors with 200',
    caughtBy: 'a tree of a missing name is not found',
    answered: (answer) => (answer.status >= 400 ? withStatus(answer, 200) : answer),
  },
  {
    name: 'answers errors in plain text',
    caughtBy: 'a listing of a missing name is not found',
    answered: (answer) => (answer.status >= 400 ? withHeader(answer, 'Content-Type', 'text/plain') : answer),
  },
  {
    name: 'answers a type mismatch with 404',
    caughtBy: 'a listing of a file is a type mismatch',
    answered: withError('type mismatch', 404),
  },
  {
    name: 'answers an invalid token with 403',
    caughtBy: 'a tree by an unknown token is an invalid token',
    answered: withError('invalid token', 403),
  },
  {
    name: 'answers what is not verified with 401',
    caughtBy: 'a tree by a valid token of an unverified account is not verified',
    answered: withError('not verified', 401),
  },
  {
    name: 'answers a denial with 404',
    caughtBy: 'a visitor is denied a tree of a private directory',
    answered: withError('permission denied', 404),
  },
  {
    name: 'answers a failing storage with 500',
    caughtBy: 'a tree of an area whose root is missing is external',
    answered: withError('external', 500),
  },
  {
    name: 'does not say how to authenticate',
    caughtBy: 'a listing by an unknown token is an invalid token',
    answered: (answer) => withoutHeader(answer, 'WWW-Authenticate'),
  },
  {
    name: 'lets errors be kept',
    caughtBy: 'a tree of a missing name is not found',
    answered: (answer) => (answer.status >= 400 ? withHeader(answer, 'Cache-Control', 'public, no-cache') : answer),
  },
  {
    name: 'lets shared caches keep what belongs to an owner',
    caughtBy: "the owner's whole tree holds every node",
    answered: (answer, asked) =>
      isOwners(asked) && answer.status === 200 ? withHeader(answer, 'Cache-Control', 'public, no-cache') : answer,
  },
  {
    name: 'lets a trigger be kept',
    caughtBy: 'a trigger is passed on as it is, to the last digit',
    answered: (answer, asked) => (isPeek(asked) ? withHeader(answer, 'Cache-Control', 'public, no-cache') : answer),
  },
  ...['Access-Control-Allow-Origin', 'Referrer-Policy', 'X-Content-Type-Options', 'X-Robots-Tag'].map(
    (name): Mutant => ({
      name: `forgets ${name}`,
      caughtBy: 'a file is a tree of its own',
      answered: (answer) => withoutHeader(answer, name),
    }),
  ),
  {
    name: 'answers HEAD with a body',
    caughtBy: 'HEAD of a storage tree has the status and headers of its GET, and no body',
    answered: async (answer, asked, ask) =>
      asked.method === 'HEAD' ? { ...answer, body: (await ask(asked.target)).body } : answer,
  },
  {
    name: 'answers HEAD with a length of 0',
    caughtBy: 'HEAD of a user content listing has the status and headers of its GET, and no body',
    answered: (answer, { method }) => (method === 'HEAD' ? withHeader(answer, 'Content-Length', '0') : answer),
  },
  {
    name: 'does not know HEAD',
    caughtBy: 'HEAD of a trigger peek has the status and headers of its GET, and no body',
    answered: (answer, { method }) =>
      method === 'HEAD' ? { ...failing(answer, 405, 'method not allowed'), body: Buffer.alloc(0) } : answer,
  },
  {
    name: 'answers 405 without Allow',
    caughtBy: 'POST of a storage tree is not allowed',
    answered: (answer) => (answer.status === 405 ? withoutHeader(answer, 'Allow') : answer),
  },
  {
    name: 'takes POST for GET',
    caughtBy: 'POST of a trigger peek is not allowed',
    asked: (asked) => (asked.method === 'POST' ? { ...asked, method: 'GET' } : asked),
  },
  {
    name: 'has no route for other methods',
    caughtBy: 'DELETE of a user content tree is not allowed',
    answered: (answer) => (answer.status === 405 ? failing(answer, 404, 'no such route') : answer),
  },
  {
    name: 'answers OPTIONS with 200',
    caughtBy: 'OPTIONS of a storage listing names the methods',
    answered: (answer, { method }) => (method === 'OPTIONS' ? withStatus(answer, 200) : answer),
  },
  {
    name: 'answers an unknown route with 200',
    caughtBy: '/nothing is no route',
    answered: (answer) => (errorOf(answer) === 'no such route' ? withStatus(answer, 200) : answer),
  },
  {
    name: 'redirects an unknown route',
    caughtBy: '/api/storage/v1/tree is no route',
    answered: (answer) =>
      errorOf(answer) === 'no such route' ? withHeader(withStatus(answer, 301), 'Location', '/') : answer,
  },
  {
    name: 'calls an unknown route a file that is not found',
    caughtBy: '/favicon.ico is no route',
    answered: (answer) => (errorOf(answer) === 'no such route' ? failing(answer, 404, 'file not found') : answer),
  },
  {
    name: 'does not mind the case of a route',
    caughtBy: '/API/storage/v1/tree/x is no route',
    asked: (asked) => ({ ...asked, target: asked.target.replace(/^\/api\/storage/i, '/api/storage') }),
  },
  {
    name: 'decodes a route',
    caughtBy: '/api/st%6Frage/v1/tree/x is no route',
    asked: (asked) => ({ ...asked, target: asked.target.replace('st%6Frage', 'storage') }),
  },
  {
    name: 'collapses doubled slashes of a route',
    caughtBy: '//api/storage/v1/tree/x is no route',
    asked: (asked) => ({ ...asked, target: asked.target.replace(/^\/\//, '/') }),
  },
  {
    name: 'accepts a whole URL as target',
    caughtBy: 'a whole URL as target is refused',
    asked: (asked) => ({ ...asked, target: asked.target.replace('http://localhost', '') }),
  },
  {
    name: 'ends a target at a raw #',
    caughtBy: 'a raw # in the target is refused',
    asked: (asked) => ({ ...asked, target: asked.target.replace(/#.*$/, '') }),
  },
  {
    name: 'has no entity tags',
    caughtBy: 'a storage tree that is still the same is 304 to whoever names its ETag',
    answered: (answer) => withoutHeader(answer, 'ETag'),
  },
  {
    name: 'does not look at If-None-Match',
    caughtBy: 'a user content listing that is still the same is 304 to whoever names its ETag',
    answered: async (answer, asked, ask) => (answer.status === 304 ? ask(asked.target) : answer),
  },
  {
    name: 'gives every answer the same entity tag',
    caughtBy: 'answers that differ have entity tags that differ',
    answered: (answer) => (headerOf(answer, 'ETag') === undefined ? answer : withHeader(answer, 'ETag', '"1"')),
  },
  {
    name: 'tags errors',
    caughtBy: 'a tree of a missing name is not found',
    answered: (answer) => (answer.status === 404 ? withHeader(answer, 'ETag', '"404"') : answer),
  },
  {
    name: 'cuts an answer off',
    caughtBy: "the owner's whole tree holds every node",
    answered: (answer, { method }) =>
      method === 'GET' && Number(headerOf(answer, 'Content-Length')) > 100
        ? { ...answer, body: answer.body.subarray(0, -1) }
        : answer,
  },
]
