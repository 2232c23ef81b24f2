import { Items, operations } from '@canopy/domain'
import { memoryPorts, type World } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'

/** The names that a visitor sees in a directory. `user` and `path` are raw, as in a URL. */
const namesIn = (user: string, path: string) =>
  pipe(
    operations.userContentDirItems({ user, path }, Items.unbounded),
    RTE.flatMapTaskEither(Items.collect),
    RTE.map(({ items }) => items.map(({ name }) => name)),
  )

const world: World = {
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [],
      settings: [{ path: '/photos', visibility: 'public' }],
      area: [
        {
          type: 'dir',
          name: 'photos',
          last_modified: 1_700_000_000n,
          content: [{ type: 'file', name: 'sea & sky.jpg', size: 1_024n, last_modified: 1_700_000_000n }],
        },
        { type: 'file', name: 'diary.txt', size: 99n, last_modified: 1_700_000_000n },
      ],
    },
  ],
  triggers: [],
}

const ports = memoryPorts(world)

/** `right` of `['sea & sky.jpg']`, and `left` of `{ error: 'permission denied' }`. */
export const shown = async () => [await namesIn('1', '/photos')(ports)(), await namesIn('1', '/')(ports)()] as const
