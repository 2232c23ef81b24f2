import * as Failure from '../src/Failure.js'

const six = {
  'invalid token': () => 401,
  'not verified': () => 403,
  'permission denied': () => 403,
  'file not found': () => 404,
  'type mismatch': () => 409,
  external: () => 502,
}

Failure.match<number>({ ...six, 'trigger not found': () => 404 })

// @ts-expect-error A failure without a case does not compile.
Failure.match<number>(six)

// @ts-expect-error Nor does a case for a failure that is none.
Failure.match<number>({ ...six, 'trigger not found': () => 404, 'no such route': () => 404 })
