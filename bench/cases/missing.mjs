import { get } from '../http.mjs'
import { againstKoa } from './againstKoa.mjs'

const notFound = 404

export const missing = {
  name: 'missing',
  title: 'What is not there',
  run: (context) =>
    againstKoa(
      context,
      ({ listing }) => [
        {
          what: 'in a directory that is cached',
          path: `${listing(1_000)}/missing`,
          check: (port) => get(port, listing(1_000)),
        },
        { what: 'in a directory that is not cached', path: `${listing(100)}/missing` },
      ],
      notFound,
    ),
}
