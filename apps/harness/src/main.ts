import { readFileSync } from 'node:fs'
import process from 'node:process'
import { visibly } from '@canopy/installation'
import type { Monitor } from './Check.js'
import { harness } from './harness.js'

// Only this file touches the process.

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const clearLine = '\r\u001b[K'
const isTerminal = process.stderr.isTTY
const width = process.stderr.columns ?? 80

let isInterrupted = false

const monitor: Monitor = {
  onCheck: (doneCount, total, { suite, name }) => {
    const progress = visibly(`${doneCount}/${total} ${suite}: ${name}`)
    if (isTerminal) process.stderr.write(clearLine + progress.slice(0, width - 1))
  },
  isInterrupted: () => isInterrupted,
}

// The first signal lets the command clean up its data and services, the second ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (isInterrupted) process.exit(130)
    isInterrupted = true
  })

// The bundled SDK supports this Node. Its warning about later versions is for developers.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'

const { stdout, stderr, exit } = await harness({
  version: manifest.version,
  argv: process.argv.slice(2),
  cwd: () => process.cwd(),
  variables: process.env,
  monitor,
  newSeed: () => Math.floor(Math.random() * 2 ** 31),
})()
if (isTerminal) process.stderr.write(clearLine)
process.exitCode = isInterrupted ? 130 : exit
process.stdout.on('error', (thrown: NodeJS.ErrnoException) => {
  // A reader may close the pipe early (`| head`).
  if (thrown.code === 'EPIPE') return
  process.exitCode = 1
  process.stderr.write(`canopy-harness: cannot write the whole output: ${thrown.message}\n`)
})
// If stderr is closed, its failure cannot be reported anywhere.
process.stderr.on('error', () => undefined)
if (!isInterrupted) process.stdout.write(stdout)
process.stderr.write(isInterrupted ? 'canopy-harness: interrupted\n' : stderr)
