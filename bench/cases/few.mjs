import { count } from '../numbers.mjs'
import { againstKoa } from './againstKoa.mjs'

export const few = {
  name: 'few',
  title: 'Few connections',
  run: (context) =>
    againstKoa(context, ({ listing }) =>
      [10, 1_000].flatMap((size) =>
        [1, 4].map((connections) => ({
          what: `${count(size)} entries, ${connections} connection${connections === 1 ? '' : 's'}`,
          path: listing(size),
          connections,
        })),
      ),
    ),
}
