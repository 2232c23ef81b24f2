import { Items, operations } from '@canopy/domain'
import { dir, file, memoryPorts, type World } from '@canopy/testkit'
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
      area: [dir('photos', file('sea & sky.jpg', 1_024)), file('diary.txt', 99)],
    },
  ],
  triggers: [],
}

const ports = memoryPorts(world)

/** `right` of `['sea & sky.jpg']`, and `left` of `{ error: 'permission denied' }`. */
export const shown = async () => [await namesIn('1', '/photos')(ports)(), await namesIn('1', '/')(ports)()] as const
