import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import { attempt } from '../attempt.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import type { Find } from './compiledOnce.js'

type Rows = ReadonlyArray<unknown>

interface Remembered {
  readonly rows: Rows
  /** The version of the database before they were read: at the worst they are newer, and asked for once more. */
  readonly at: number | string
}

/** So many keys of one query: accounts, tokens or triggers in use at a time. */
const mostKeys = 20_000

/** What a key may hold before it counts as another one, in characters: triggers can be large. */
const charactersOfAKey = 4096

const charactersIn = (row: unknown): number =>
  Object.values(row as object).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)

/** As a size: for a number of keys the cache would take all its memory at once, 3 ms and half a megabyte each. */
const bounds = {
  maxSize: mostKeys,
  sizeCalculation: ({ rows }: Remembered) =>
    1 + Math.floor(rows.reduce<number>((sum, row) => sum + charactersIn(row), 0) / charactersOfAKey),
}

/**
 * The same rows for the same key while the version of the database stands, and the same value for as long as a new look
 * finds them equal, so that a change elsewhere does not undo what was derived from them. What is not there is remembered
 * as well, so that asking for it takes as long, but apart: whoever guesses keys drives out only other guesses.
 */
export const rememberedRows = (version: ReadDatabase['version'], find: Find): Find => {
  const askVersion = attempt(version)
  const known = new LRUCache<string, Remembered>(bounds)
  const absent = new LRUCache<string, Remembered>(bounds)

  const remember = (key: string, rows: Rows, at: number | string): Rows => {
    const before = (known.get(key) ?? absent.get(key))?.rows
    const same = before !== undefined && isDeepStrictEqual(before, rows) ? before : rows
    const [home, other] = rows.length > 0 ? [known, absent] : [absent, known]
    other.delete(key)
    home.set(key, { rows: same, at })
    return same
  }

  return (key) => async () => {
    const asked = await askVersion()
    if (E.isLeft(asked)) return asked
    const remembered = known.get(key) ?? absent.get(key)
    if (remembered?.at === asked.right) return E.right(remembered.rows)
    const found = await find(key)()
    return E.isRight(found) ? E.right(remember(key, found.right, asked.right)) : found
  }
}
