import { bytesOf } from '../src/keys.js'
import type { StoreListing } from '../src/listingXml.js'
import { type PageRequest, readPage } from '../src/page.js'
import type { Store } from '../src/store.js'

export const numbered = (count: number, name: (index: number) => string): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => name(index))

/** The index of the first key that follows another, by bytes. */
const keysAfter = (sorted: ReadonlyArray<Buffer>, key: Buffer): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (Buffer.compare(sorted[middle] ?? key, key) > 0) high = middle
    else low = middle + 1
  }
  return low
}

interface MemoryStore extends Store {
  readonly requests: { count: number }
}

export const memoryStore = (keys: ReadonlyArray<string>, pageKeys = 1000): MemoryStore => {
  const sorted = [...new Set(keys)].map((key) => Buffer.from(key)).sort(Buffer.compare)
  const texts = sorted.map(String)
  const requests = { count: 0 }
  const answer = (request: PageRequest, token = ''): StoreListing => {
    const { prefix, oneLevel, after = '', maxKeys = pageKeys } = request
    requests.count += 1
    if (maxKeys < 1) throw new Error(`a page of ${maxKeys} keys`)
    const from = token === '' ? after : token
    const levels = new Set<string>()
    const objects: Array<string> = []
    let next: string | undefined
    let last = ''
    for (let index = keysAfter(sorted, Buffer.from(from)); index < texts.length; index += 1) {
      const key = texts[index] ?? ''
      if (!key.startsWith(prefix)) continue
      const slash = oneLevel ? key.indexOf('/', prefix.length) : -1
      const level = key.slice(0, slash + 1)
      // A level that an earlier page held is omitted.
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
      objects: objects.map((key) => ({ key: bytesOf(key), size: key.length, modified: 0 })),
      commonPrefixes: [...levels].map(bytesOf),
      isEncoded: false,
      keyCount: undefined,
      token: next,
    }
  }
  return {
    requests,
    page: (request) => readPage(request, async (token) => answer(request, token)),
    put: async () => undefined,
    head: () => Promise.reject(new Error('only names are in memory')),
    get: () => Promise.reject(new Error('only names are in memory')),
    close: () => undefined,
  }
}

/** The same store, with requests that end a turn of the event loop later, and the most that ran at once. */
export const slowly = (store: MemoryStore) => {
  const slow = { ...store, mostAtOnce: 0 }
  let running = 0
  const page: Store['page'] = async (request) => {
    running += 1
    slow.mostAtOnce = Math.max(slow.mostAtOnce, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    return store.page(request)
  }
  return Object.assign(slow, { page })
}
