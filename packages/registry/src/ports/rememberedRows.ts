import type { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { LRUCache } from 'lru-cache'
import { attempt } from '../attempt.js'
import type { ReadDatabase } from '../ReadDatabase.js'

type Rows = ReadonlyArray<unknown>
type Find = (key: string) => TE.TaskEither<Failure.External, Rows>

/** So many keys of one query: accounts, tokens or triggers in use at a time. */
const mostKeys = 20_000

/**
 * The same rows for the same key, as the same value, while the version of the database stands. What is not there is
 * remembered as well, so that asking for it takes as long, but apart: whoever guesses keys drives out only other guesses.
 */
export const rememberedRows = (version: ReadDatabase['version'], find: Find): Find => {
  const known = new LRUCache<string, Rows>({ max: mostKeys })
  const absent = new LRUCache<string, Rows>({ max: mostKeys })
  let knownAt: number | string | undefined

  const findAt = async (key: string, now: number | string): Promise<E.Either<Failure.External, Rows>> => {
    const found = await find(key)()
    // The version was read before the rows: at the worst these are newer, and asked for once more.
    if (E.isRight(found) && knownAt === now) (found.right.length > 0 ? known : absent).set(key, found.right)
    return found
  }

  return (key) => async () => {
    const asked = await attempt(async () => version())()
    if (E.isLeft(asked)) return asked
    const now = asked.right
    if (now !== knownAt) {
      known.clear()
      absent.clear()
      knownAt = now
    }
    const rows = known.get(key) ?? absent.get(key)
    return rows === undefined ? findAt(key, now) : E.right(rows)
  }
}
