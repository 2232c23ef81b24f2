import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { storageColumn, triggerColumn, userContentColumn } from '../src/Failure.js'

const columns = {
  storageTree: storageColumn,
  userContentTree: userContentColumn,
  storageDirItems: storageColumn,
  userContentDirItems: userContentColumn,
  triggerPeek: triggerColumn,
}

const sourceOf = (door: string): string => readFileSync(new URL(`../src/${door}`, import.meta.url), 'utf8')

/** What stands above each operation of `Client`, by its name. */
const docsIn = (door: string): ReadonlyMap<string, string> => {
  const [, body = ''] = /export interface Client \{\n(.*?)\n\}/s.exec(sourceOf(door)) ?? []
  return new Map(
    [...body.matchAll(/(?: {2}\/\*\*(.*?)\*\/\n)? {2}readonly (\w+):/gs)].map(([, doc, name]) => [
      name ?? '',
      doc ?? '',
    ]),
  )
}

const namedIn = (doc: string): ReadonlyArray<string> =>
  [...doc.matchAll(/`([a-z]+( [a-z]+)*)`/g)].map(([, name]) => name ?? '')

describe.each(['client.ts', 'promise/client.ts'])('the operations of %s', (door) => {
  it.each(Object.entries(columns))('say what they fail with: %s', (operation, column) => {
    const named = namedIn(docsIn(door).get(operation) ?? '').filter((name) => !['depth', 'limit'].includes(name))
    expect([...named].sort()).toEqual([...column].sort())
  })

  it('all have words above them', () => {
    expect([...docsIn(door).values()].filter((doc) => doc.trim() === '')).toEqual([])
    expect([...docsIn(door).keys()]).toEqual(expect.arrayContaining(Object.keys(columns)))
  })
})
