import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3'
import { type Question, readPage } from '../src/page.js'
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
  const answer = (question: Question, token = ''): ListObjectsV2CommandOutput => {
    const { prefix, oneLevel, after = '', maxKeys = pageKeys } = question
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
      if (levels.size + objects.length === Math.min(maxKeys, pageKeys)) {
        next = last
        break
      }
      if (slash >= 0) levels.add(level)
      else objects.push(key)
      last = slash >= 0 ? `${level}\u{10ffff}` : key
    }
    return {
      $metadata: {},
      Contents: objects.map((Key) => ({ Key, Size: Key.length, LastModified: new Date(0) })),
      CommonPrefixes: [...levels].map((Prefix) => ({ Prefix })),
      IsTruncated: next !== undefined,
      NextContinuationToken: next,
    }
  }
  return {
    asked,
    page: (question) => readPage(question, async (token) => answer(question, token)),
    put: async () => undefined,
    close: () => undefined,
  }
}
