import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chart } from './chart.mjs'
import { described } from './machine.mjs'
import { table } from './table.mjs'

const fileAt = (path) => fileURLToPath(new URL(path, import.meta.url))
const pages = ['../docs/performance.md', '../docs/growth.md'].map(fileAt)
const picture = fileAt('../docs/performance.svg')

const marksOf = (name) => [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`]

const replaced = (text, name, content) => {
  const [begin, end] = marksOf(name)
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (to < from) throw new Error(`the place for ${name} in docs has no end`)
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`
}

const replaceIn = (name, content) => {
  const page = pages.find((path) => readFileSync(path, 'utf8').includes(marksOf(name)[0]))
  if (page === undefined) throw new Error(`docs has no place for ${name}`)
  writeFileSync(page, replaced(readFileSync(page, 'utf8'), name, content))
}

/** Every table has a line that says what it was measured on: a later run may renew only some of them. */
export const writeDocs = ({ machine, seconds, cases }) => {
  const measured = cases.filter(({ failed }) => failed === undefined)
  const caption = (rounds) => `_${described(machine)}; ${rounds} rounds of ${seconds} s._`
  for (const { name, rounds, rows } of measured) replaceIn(name, `${table(rows)}\n\n${caption(rounds)}`)
  const listings = measured.find(({ name }) => name === 'listings')
  if (listings !== undefined)
    writeFileSync(
      picture,
      chart(listings.rows, `${machine.date}, Node ${machine.node}, ${machine.processors} processors`),
    )
}
