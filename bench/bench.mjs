// How fast Canopy is against servers that can be compared, all in one run: `npm run bench`, `npm run bench -- --help`.
import { writeFileSync } from 'node:fs'
import { cliff } from './cases/cliff.mjs'
import { files } from './cases/files.mjs'
import { conditional, few, missing, others } from './cases/koa.mjs'
import { listings } from './cases/listings.mjs'
import { objects } from './cases/objects.mjs'
import { peers } from './cases/peers.mjs'
import { slowStore } from './cases/slowStore.mjs'
import { start } from './cases/start.mjs'
import { trees } from './cases/trees.mjs'
import { closedLoop } from './load.mjs'
import { described, machine } from './machine.mjs'
import { readOptions } from './options.mjs'
import { endAll, progress } from './processes.mjs'
import { openScratch } from './scratch.mjs'
import { table } from './table.mjs'
import { plantWorld } from './world.mjs'
import { writeDocs } from './writeDocs.mjs'

/** Each gives rows, one for each figure. */
const cases = [listings, peers, few, conditional, others, missing, start, trees, cliff, objects, files]
/** Measured only when `--only` names them. */
const rareCases = [slowStore]

const measure = async (options) => {
  const scratch = openScratch()
  process.on('exit', () => {
    endAll()
    scratch.remove()
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
  if (!scratch.isOnDisk) progress('no disk found: everything is in memory. TMPDIR names a directory on one')

  const state = {}
  const context = {
    options,
    directory: scratch.directory,
    make: scratch.make,
    load: closedLoop(),
    world: () => (state.world ??= plantWorld(`${scratch.directory}/data`)),
  }
  const run = { machine: machine(), seconds: options.seconds, cases: [] }
  console.log(`${described(run.machine)}. Measured for ${options.seconds} s at a time; median (least to most).`)
  for (const one of [...cases, ...rareCases].filter(({ name }) => options.only.includes(name))) {
    const { name, title, mostRounds = options.rounds } = one
    const rounds = Math.min(options.rounds, mostRounds)
    progress(`${name}:`)
    try {
      const rows = await one.run({ ...context, options: { ...options, rounds } })
      run.cases.push({ name, title, rounds, rows })
      console.log(`\n## ${title}, ${rounds} rounds\n\n${table(rows)}`)
    } catch (error) {
      run.cases.push({ name, title, rounds, rows: [], failed: error.message })
      console.log(`\n## ${title}\n\nNot measured: ${error.message}`)
      progress(error.stack)
    }
  }
  return run
}

const conclude = (run, options) => {
  const verdicts = run.cases.flatMap(({ rows }) => rows.flatMap(({ target }) => target?.verdict ?? []))
  const of = (verdict) => verdicts.filter((one) => one === verdict).length
  const failed = run.cases.filter((one) => one.failed !== undefined)
  console.log(`\n${of('pass')} targets met, ${of('missed')} missed, ${of('not measured')} not measured.`)
  if (failed.length > 0) console.log(`Failed: ${failed.map(({ name }) => name).join(', ')}.`)
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(run, undefined, 2)}\n`)
  if (options.write) writeDocs(run)
  if (failed.length > 0) process.exitCode = 1
}

const namesOf = (cases) => cases.map(({ name }) => name)
try {
  const options = readOptions(process.argv.slice(2), namesOf(cases), namesOf(rareCases))
  if (options.help === undefined) conclude(await measure(options), options)
  else console.log(options.help)
} catch (error) {
  console.error(`bench: ${error.message}`)
  process.exitCode = 1
}
