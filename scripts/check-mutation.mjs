// Mutation testing: CONTRIBUTING.md explains it.
//   node scripts/check-mutation.mjs            the whole scope
//   node scripts/check-mutation.mjs FILE ...   only these files
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'

const minPercent = 95
// A mistake in paths or visibility exposes private files, so every mutant must be killed.
const noSurvivors = new Set([
  'packages/domain/src/StoragePath.ts',
  'packages/domain/src/Name.ts',
  'packages/domain/src/Settings.ts',
  'packages/domain/src/Visibility.ts',
  'packages/domain/src/View.ts',
  'packages/http/src/request.ts',
])

const options = JSON.parse(readFileSync('mutation/stryker.json', 'utf8'))
const files = process.argv.slice(2)
const started = performance.now()
const results = await new Stryker(files.length === 0 ? options : { ...options, mutate: files }).runMutationTest()
const minutes = (performance.now() - started) / 60_000

const mutants = results.map((mutant) => ({ ...mutant, file: relative(process.cwd(), mutant.fileName) }))
const isKilled = ({ status }) => status === 'Killed' || status === 'Timeout'
const isMissed = ({ status }) => status === 'Survived' || status === 'NoCoverage'
const survivors = mutants.filter(isMissed)

const percentOf = (some) => {
  const killed = some.filter(isKilled).length
  const missed = some.filter(isMissed).length
  return killed + missed === 0 ? 100 : (100 * killed) / (killed + missed)
}

const show = (title, some) => {
  const count = (is) => String(some.filter(is).length).padStart(5)
  const ignored = some.filter(({ status }) => status === 'Ignored').length
  const excused = ignored === 0 ? '' : `, ${ignored} excused`
  const percent = percentOf(some).toFixed(1).padStart(6)
  console.log(`${percent} %${count(isKilled)} killed${count(isMissed)} missed  ${title}${excused}`)
}

const groups = (keyOf) =>
  [...new Set(mutants.map(keyOf))]
    .sort((x, y) => (x < y ? -1 : 1))
    .map((key) => [key, mutants.filter((mutant) => keyOf(mutant) === key)])

const roomOf = ({ file }) => file.split('/').slice(0, 2).join('/')

for (const [file, some] of groups(({ file }) => file)) show(file, some)
console.log()
for (const { file, location, mutatorName, replacement, status } of survivors)
  console.log(`${status}: ${file}:${location.start.line}:${location.start.column} ${mutatorName}: ${replacement}`)
console.log()
for (const [room, some] of groups(roomOf)) show(room, some)
show(`all, in ${minutes.toFixed(1)} minutes`, mutants)

const odd = mutants.filter((mutant) => !isKilled(mutant) && !isMissed(mutant) && mutant.status !== 'Ignored')
const faults = survivors.filter(({ file }) => noSurvivors.has(file))
// A file that was moved would lose its protection silently.
const unknown = [...noSurvivors].filter((name) => files.length === 0 && !mutants.some(({ file }) => file === name))
const problems = [
  ...unknown.map((name) => `${name} has no mutants: correct its name`),
  ...(mutants.some(isKilled) ? [] : ['no mutant was killed: nothing was tested']),
  ...(odd.length === 0 ? [] : [`${odd.length} mutants ended in an error: see reports/mutation/mutation.html`]),
  ...(faults.length === 0 ? [] : [`${faults.length} mutants survived where none may`]),
  ...(percentOf(mutants) >= minPercent ? [] : [`under ${minPercent} %`]),
]
console.log(problems.length === 0 ? 'all well' : `FAILED: ${problems.join('; ')}`)
process.exitCode = problems.length === 0 ? 0 : 1
