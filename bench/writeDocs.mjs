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
  if (from < 0) throw new Error(`${page} has no place for ${name}`)
  if (to < from) throw new Error(`the place for ${name} in ${page} has no end`)
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`
}

/** Every table has a line that says what it was measured on: a later run may renew only some of them. */
export const writeDocs = ({ machine, cases }) => {
  const measured = cases.filter(({ rows }) => rows.length > 0)
  const caption = ({ rounds, rows }) => {
    const servers = rows.flatMap(({ reference }) => reference?.name ?? [])
    return `_${described(machine, servers)}, ${rounds} rounds._`
  }
  const write = (text, one) => replaced(text, one.name, `${table(one.rows)}\n\n${caption(one)}`)
  writeFileSync(page, measured.reduce(write, readFileSync(page, 'utf8')))
  const listings = measured.find(({ name }) => name === 'listings')
  if (listings !== undefined)
    writeFileSync(
      picture,
      chart(listings.rows, `${machine.date}, Node ${machine.node}, ${machine.processors} processors`),
    )
}
