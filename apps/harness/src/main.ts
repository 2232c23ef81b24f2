import { readFileSync } from 'node:fs'
import process from 'node:process'
import { versionIn, visibly, writeOut } from '@canopy/installation'
import { harness } from './harness.js'
import type { Watch } from './runChecks.js'

// The one file that touches the process.

const version = versionIn(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const clearLine = '\r\u001b[K'
const isWatched = process.stderr.isTTY
const width = process.stderr.columns ?? 80

const watched = { interrupted: false }

const watch: Watch = {
  tell: (done, of, { suite, name }) => {
    if (isWatched) process.stderr.write(clearLine + visibly(`${done}/${of} ${suite}: ${name}`).slice(0, width - 1))
  },
  isInterrupted: () => watched.interrupted,
}

// Once: what was planted and started is removed, then the process ends. Twice: it ends at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (watched.interrupted) process.exit(130)
    watched.interrupted = true
  })

const { stdout, stderr, exit } = await harness({
  version,
  words: process.argv.slice(2),
  cwd: () => process.cwd(),
  variables: process.env,
  watch,
  newSeed: () => Math.floor(Math.random() * 2 ** 31),
})()
if (isWatched) process.stderr.write(clearLine)
process.exitCode = watched.interrupted ? 130 : exit
writeOut('canopy-harness', process, watched.interrupted ? '' : stdout, () => {
  process.exitCode = 1
})
process.stderr.write(watched.interrupted ? 'canopy-harness: interrupted\n' : stderr)
