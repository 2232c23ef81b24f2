import { readFileSync } from 'node:fs'
import process from 'node:process'
import { visibly } from '@canopy/installation'
import type { Watch } from './Command.js'
import { harness } from './harness.js'

// The one file that touches the process.

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const clearLine = '\r\u001b[K'
const isWatched = process.stderr.isTTY
const width = process.stderr.columns ?? 80

const watched = { interrupted: false }

const watch: Watch = {
  announce: (done, of, { suite, name }) => {
    if (isWatched) process.stderr.write(clearLine + visibly(`${done}/${of} ${suite}: ${name}`).slice(0, width - 1))
  },
  isInterrupted: () => watched.interrupted,
}

// Once: what was seeded and started is removed, then the process ends. Twice: it ends at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (watched.interrupted) process.exit(130)
    watched.interrupted = true
  })

// The version here runs on this Node; what the SDK says of its next ones is for those who update it.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'

const { stdout, stderr, exit } = await harness({
  version: manifest.version,
  words: process.argv.slice(2),
  cwd: () => process.cwd(),
  variables: process.env,
  watch,
  newSeed: () => Math.floor(Math.random() * 2 ** 31),
})()
if (isWatched) process.stderr.write(clearLine)
process.exitCode = watched.interrupted ? 130 : exit
process.stdout.on('error', (thrown: NodeJS.ErrnoException) => {
  // A reader may leave early (`| head`), which is no failure.
  if (thrown.code === 'EPIPE') return
  process.exitCode = 1
  process.stderr.write(`canopy-harness: cannot write the whole answer: ${thrown.message}\n`)
})
// No one is left to read it.
process.stderr.on('error', () => undefined)
if (!watched.interrupted) process.stdout.write(stdout)
process.stderr.write(watched.interrupted ? 'canopy-harness: interrupted\n' : stderr)
