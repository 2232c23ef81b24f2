import type * as IO from 'fp-ts/lib/IO.js'
import * as O from 'fp-ts/lib/Option.js'
import { LRUCache } from 'lru-cache'
import type { BytesAnswer } from '../answer/Answer.js'
import type { Asked, Route } from '../Route.js'
import type { Lookup } from './Lookup.js'
import { onceARound } from './onceARound.js'

/** An answer in one piece, and what was asked. */
export interface Given {
  readonly route: Route
  readonly asked: Asked
  readonly answer: BytesAnswer
}

export interface KeptAnswer extends Given {
  /** Whether the answer, made anew, would be the same. */
  readonly stands: () => Promise<boolean>
}

export interface KeptAnswers {
  readonly get: (target: string) => KeptAnswer | undefined
  /** `lookups` tells everything that the answer was made of; `none` when it cannot be verified. */
  readonly keep: (target: string, given: Given, lookups: IO.IO<O.Option<ReadonlyArray<Lookup>>>) => void
}

const lookupBytes = 512
const keptBytes = 4096

/** With its compressed forms; an estimate, on the high side. */
const bytesOf = (target: string, { answer }: Given, lookups: ReadonlyArray<Lookup>): number =>
  keptBytes + target.length * 8 + answer.body.bytes.length * 1.5 + lookups.length * lookupBytes

/** An answer that fell was verified in vain when the same is answered again: some port gives its values anew each time. */
const mostInVain = 2
/** Then it is made without a look at what it was, for so long; as when its directory cannot be watched. */
const notKeptMs = 60_000
const mostNotKept = 10_000

interface Verified extends KeptAnswer {
  /** Not to be sent any more. */
  fell: boolean
  /** How often in a row it was verified in vain. */
  inVain: number
}

/** Every port gives what it gave. */
const same = async (lookups: ReadonlyArray<Lookup>): Promise<boolean> =>
  (await Promise.all(lookups.map((lookup) => lookup()))).every((each) => each)

const verified = (given: Given, lookups: ReadonlyArray<Lookup>, inVain: number): Verified => {
  const answer: Verified = {
    ...given,
    fell: false,
    inVain,
    // Asked all at once, for all who ask for the answer in the same round.
    stands: onceARound(async () => {
      const stands = await same(lookups)
      if (stands) answer.inVain = 0
      else answer.fell = true
      return stands
    }),
  }
  return answer
}

const tellsTheSame = ({ answer: { body: one } }: Given, { answer: { body: other } }: Given): boolean =>
  one.etag === undefined ? one.bytes.equals(other.bytes) : one.etag === other.etag

const inVainBefore = (before: Verified | undefined, given: Given): number =>
  before === undefined ? 0 : !before.fell ? before.inVain : tellsTheSame(before, given) ? before.inVain + 1 : 0

/** By the request target as it came in. Least recently used out; 0 bytes keep nothing. */
export const keepAnswers = (maxBytes: number): KeptAnswers => {
  if (maxBytes === 0) return { get: () => undefined, keep: () => undefined }
  const kept = new LRUCache<string, Verified>({ maxSize: maxBytes })
  const notKept = new LRUCache<string, true>({
    max: mostNotKept,
    maxSize: Math.ceil(maxBytes / 8),
    sizeCalculation: (_, { length }) => length,
    ttl: notKeptMs,
  })
  return {
    get: (target) => kept.get(target),
    keep: (target, given, lookups) => {
      if (notKept.has(target)) return
      const asked = lookups()
      if (O.isNone(asked)) return
      const inVain = inVainBefore(kept.peek(target), given)
      if (inVain >= mostInVain) {
        kept.delete(target)
        notKept.set(target, true)
        return
      }
      const size = Math.ceil(bytesOf(target, given, asked.value))
      kept.set(target, verified(given, asked.value, inVain), { size })
    },
  }
}
