import type * as IO from 'fp-ts/lib/IO.js'
import * as O from 'fp-ts/lib/Option.js'
import { LRUCache } from 'lru-cache'
import type { BytesAnswer } from '../Answer.js'
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

/** Every port gives what it gave. Asked all at once, for all who ask for the answer in the same round. */
const standing = (lookups: ReadonlyArray<Lookup>): (() => Promise<boolean>) =>
  onceARound(async () => (await Promise.all(lookups.map((lookup) => lookup()))).every((same) => same))

/** By the request target as it came in. Least recently used out; 0 bytes keep nothing. */
export const keepAnswers = (maxBytes: number): KeptAnswers => {
  if (maxBytes === 0) return { get: () => undefined, keep: () => undefined }
  const kept = new LRUCache<string, KeptAnswer>({ maxSize: maxBytes })
  return {
    get: (target) => kept.get(target),
    keep: (target, given, lookups) => {
      const asked = lookups()
      if (O.isNone(asked)) return
      const size = Math.ceil(bytesOf(target, given, asked.value))
      kept.set(target, { ...given, stands: standing(asked.value) }, { size })
    },
  }
}
