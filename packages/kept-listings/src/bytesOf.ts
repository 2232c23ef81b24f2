import type { Reading } from './Reading.js'

// Of V8: an entry with its name and two bigints, the row made of it, and its JSON; a watch with its handle.
const entryBytes = 480
const nameUnitBytes = 4
const watchBytes = 2048
const readingBytes = 512

/** What a kept reading costs in memory, with what will be derived from it; an estimate, on the high side. */
export const bytesOf = ({ listing, watches, key }: Reading): number =>
  readingBytes +
  key.length * 2 +
  watches.length * watchBytes +
  (listing?.entries ?? []).reduce((bytes, { name }) => bytes + entryBytes + name.length * nameUnitBytes, 0)
