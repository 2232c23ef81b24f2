import { parseArgs } from 'node:util'

const usage = `npm run bench -- [--rounds N] [--seconds N] [--only CASE,CASE] [--quick] [--json FILE] [--write]

  --rounds N      rounds in which every server is measured once (11)
  --seconds N     seconds of one measurement (1)
  --only CASES    only these cases
  --quick         2 rounds of 1 second, and nothing of a million: for trying the bench, not for figures
  --json FILE     everything that was measured
  --write         the tables into docs/performance.md, the chart into docs/performance.svg

Directories and registries are made in TMPDIR, which should be on a disk. Cases: `

const wholeNumber = (name, text) => {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} must be a whole number from 1`)
  return number
}

/** Reads the command line. Throws an error with a message for people. `rareNames` are measured only when `--only` names them. */
export const readOptions = (parameters, caseNames, rareNames) => {
  const { values } = parseArgs({
    args: parameters,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const only = values.only?.split(',') ?? caseNames
  const allNames = [...caseNames, ...rareNames]
  const unknown = only.filter((name) => !allNames.includes(name))
  if (unknown.length > 0) throw new Error(`no such case: ${unknown.join(', ')}. There are: ${allNames.join(', ')}`)
  if (values.quick && values.write) throw new Error('--quick measures less than the page says: it cannot be written')
  return {
    ...values,
    help: values.help ? `${usage}${caseNames.join(', ')}; by name only: ${rareNames.join(', ')}` : undefined,
    only,
    rounds: wholeNumber('rounds', values.rounds ?? (values.quick ? '2' : '11')),
    seconds: wholeNumber('seconds', values.seconds ?? '1'),
  }
}
