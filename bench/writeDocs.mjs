import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chart } from './chart.mjs'
import { described } from './machine.mjs'
import { table } from './table.mjs'

const fileAt = (path) => fileURLToPath(new URL(path, import.meta.url))
const page = fileAt('../docs/performance.md')
const picture = fileAt('../docs/performance.svg')

const replaced = (text, name, content) => {
  const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/performance.md has no place for ${name}`)
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`
}

/** Every table stands with what it was measured on: a later run may renew only some of them. */
export const writeDocs = ({ machine, seconds, cases }) => {
  const measured = cases.filter(({ failed }) => failed === undefined)
  const caption = (rounds) => `_${described(machine)}; ${rounds} rounds of ${seconds} s._`
  writeFileSync(
    page,
    measured.reduce(
      (text, { name, rounds, rows }) => replaced(text, name, `${table(rows)}\n\n${caption(rounds)}`),
      readFileSync(page, 'utf8'),
    ),
  )
  const listings = measured.find(({ name }) => name === 'listings')
  if (listings !== undefined)
    writeFileSync(
      picture,
      chart(listings.rows, `${machine.date}, Node ${machine.node}, ${machine.processors} processors`),
    )
}
