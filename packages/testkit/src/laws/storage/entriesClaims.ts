import type { Entries, Entry } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { at, type StorageClaim, unless } from './StorageClaim.js'
import { saidEntry, saidName } from './said.js'

type Asked = readonly [question: string, ask: (entries: Entries.Entries) => unknown]

const saidOne = (entry: Entry.Entry | undefined): string => (entry === undefined ? 'nothing' : saidEntry(entry))

const saidAll = (entries: Entries.Entries): string => [...entries].map(saidEntry).join(', ')

/** Places in the first and the last of what may be kept in parts, at the ends, and beyond them. */
const placesIn = (length: number): ReadonlyArray<number> => [
  ...new Set([0, 1, length >> 1, length - 1, length, length + 1].flatMap((place) => [place, -place])),
]

const questions = (length: number): ReadonlyArray<Asked> => {
  const places = placesIn(length)
  return [
    ['length', (entries) => entries.length],
    ['slice()', (entries) => saidAll(entries.slice())],
    ...places.flatMap(
      (from): ReadonlyArray<Asked> => [
        [`at(${from})`, (entries) => saidOne(entries.at(from))],
        [`slice(${from})`, (entries) => saidAll(entries.slice(from))],
        [`slice(${from}).slice(1, -1)`, (entries) => saidAll(entries.slice(from).slice(1, -1))],
        ...places.map((to): Asked => [`slice(${from}, ${to})`, (entries) => saidAll(entries.slice(from, to))]),
      ],
    ),
  ]
}

/** Its entries answer every question as an array of the same entries does. */
export const listsAsAnArrayDoes = (text: string): StorageClaim =>
  at(text, (path) => async ({ ports, area }) => {
    const answer = await ports.list(area, path)()
    if (E.isLeft(answer)) return [`list ${saidName(text)} fails with ${answer.left.error}`]
    const { entries } = answer.right
    const array = [...entries]
    return questions(array.length).flatMap(([question, ask]) =>
      unless(
        ask(entries) === ask(array),
        `the entries of ${saidName(text)} must answer ${question} as an array of them does`,
      ),
    )
  })
