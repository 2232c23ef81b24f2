import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { storageNames, triggerNames, userContentNames } from '../src/failures.js'

const columns = {
  storageTree: storageNames,
  userContentTree: userContentNames,
  storageDirItems: storageNames,
  userContentDirItems: userContentNames,
  triggerPeek: triggerNames,
}

const source = readFileSync(new URL('../src/client.ts', import.meta.url), 'utf8')

/** What stands above each operation of `Client`, by its name. */
const docs = ((): ReadonlyMap<string, string> => {
  const [, body = ''] = /export interface Client \{\n(.*?)\n\}/s.exec(source) ?? []
  return new Map(
    [...body.matchAll(/(?: {2}\/\*\*(.*?)\*\/\n)? {2}readonly (\w+):/gs)].map(([, doc, name]) => [
      name ?? '',
      doc ?? '',
    ]),
  )
})()

const namedIn = (doc: string): ReadonlyArray<string> =>
  [...doc.matchAll(/`([a-z]+( [a-z]+)*)`/g)].map(([, name]) => name ?? '')

describe('the operations of a client', () => {
  it.each(Object.entries(columns))('say what they fail with: %s', (operation, column) => {
    const named = namedIn(docs.get(operation) ?? '').filter((name) => !['depth', 'limit'].includes(name))
    expect([...named].sort()).toEqual([...column].sort())
  })

  it('all have words above them', () => {
    expect([...docs.values()].filter((doc) => doc.trim() === '')).toEqual([])
    expect([...docs.keys()]).toEqual(expect.arrayContaining(Object.keys(columns)))
  })
})
