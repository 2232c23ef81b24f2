import * as O from 'fp-ts/lib/Option.js'
import { fileOf, foundAt } from '../src/keys.js'
import type { Store } from '../src/store.js'

/** Where the keys begin that come after one, by their bytes. */
const keysAfter = (sorted: ReadonlyArray<Buffer>, key: Buffer): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (Buffer.compare(sorted[middle] ?? key, key) > 0) high = middle
    else low = middle + 1
  }
  return low
}

/** A bucket of these keys, which gives them in pages, and counts the questions. */
export const memoryStore = (
  keys: ReadonlyArray<string>,
  pageKeys = 1000,
): Store & { readonly asked: { count: number } } => {
  const sorted = [...new Set(keys)].map((key) => Buffer.from(key)).sort(Buffer.compare)
  const texts = sorted.map(String)
  const asked = { count: 0 }
  return {
    asked,
    page: async ({ prefix, oneLevel, after = '', token = '', most = pageKeys }) => {
      asked.count += 1
      const from = token === '' ? after : token
      const levels = new Set<string>()
      const objects: Array<string> = []
      let next: string | undefined
      let last = ''
      for (const key of texts.slice(keysAfter(sorted, Buffer.from(from)))) {
        if (!key.startsWith(prefix)) continue
        const slash = oneLevel ? key.indexOf('/', prefix.length) : -1
        const level = key.slice(0, slash + 1)
        // A level that has been given is not given again.
        if (slash >= 0 && (levels.has(level) || from.startsWith(level))) continue
        if (levels.size + objects.length === Math.min(most, pageKeys)) {
          next = last
          break
        }
        if (slash >= 0) levels.add(level)
        else objects.push(key)
        last = slash >= 0 ? `${level}\u{10ffff}` : key
      }
      const skipped = prefix.split('/').length - 1
      return {
        found: [
          ...objects.map((key) => foundAt(key, false, skipped, fileOf(key.length, new Date(0)))),
          ...[...levels].map((key) => foundAt(key, false, skipped, undefined)),
        ],
        last: objects.length === 0 ? O.none : O.some(objects.at(-1) ?? ''),
        next,
      }
    },
    put: async () => undefined,
    close: () => undefined,
  }
}
