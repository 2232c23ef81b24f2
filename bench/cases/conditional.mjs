import { checkConditional, tagOf } from '../checks.mjs'
import { count } from '../numbers.mjs'
import { listingSizes } from '../world.mjs'
import { againstKoa } from './againstKoa.mjs'

export const conditional = {
  name: 'conditional',
  title: 'Conditional requests',
  run: (context) =>
    againstKoa(context, ({ listing }) =>
      listingSizes.map((size) => ({
        what: `304 for ${count(size)} entries`,
        path: listing(size),
        headersOf: async (port, path) => ({ 'If-None-Match': await tagOf(port, path) }),
        check: (port, path, headers) => checkConditional(port, path, headers['If-None-Match']),
        conditional: true,
        atLeast: 1.1,
      })),
    ),
}
