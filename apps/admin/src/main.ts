import { fstatSync, readFileSync, statSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import type { Start } from './Command.js'
import { canopy } from './program.js'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** Goes to the begin of a line on the terminal, and clears it. */
const clear = '\r\u001b[K'
let shownAt: number | undefined

const say = (text: string): unknown => {
  const before = shownAt === undefined ? '' : clear
  shownAt = undefined
  return process.stderr.write(before + text)
}

/** On the last line of the terminal, ten times a second at most. */
const show = (text: string): void => {
  const now = performance.now()
  if (shownAt !== undefined && now - shownAt < 100) return
  shownAt = now
  process.stderr.write(clear + text.slice(0, (process.stderr.columns || 80) - 1))
}

/** What doctor has reached. Without a terminal, a line every ten seconds: also of a disk that hangs. */
let reached = ''
if (!process.stderr.isTTY && process.argv.includes('doctor'))
  setInterval(() => reached !== '' && say(`canopy: ${reached}\n`), 10_000).unref()

/** On standard error: standard output is for the answer. Anything but y or yes is no. */
const ask = async (question: string): Promise<boolean> => {
  say(question)
  for await (const answer of createInterface({ input: process.stdin })) return /^y(es)?$/i.test(answer.trim())
  say('\n')
  return false
}

// The version here runs on this Node; what the SDK says of its next ones is for those who update it.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'

const start: Start = {
  version: manifest.version,
  node: process.versions.node,
  words: process.argv.slice(2),
  cwd: () => process.cwd(),
  variables: process.env,
  progress: process.stderr.isTTY ? show : (text) => (reached = text),
  stdin: process.stdin,
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
}
const { stdout, stderr, exit, undo } = await canopy(start)
// Most likely the answer goes to the same terminal.
say('')
process.exitCode = exit

/** The answer was not written: secrets that no one saw open nothing from then on. */
const fail = async (why: string): Promise<void> => {
  process.exitCode = 1
  say(`canopy: cannot write the whole answer: ${why}\n`)
  for (const words of undo ?? []) {
    const undone = await canopy({ ...start, words })
    const command = `\`canopy ${words.join(' ')}\``
    say(
      undone.exit === 0 ? `canopy: undone by ${command}\n` : `${undone.stderr}canopy: ${command} is still to be run\n`,
    )
  }
}

process.stdout.on('error', (thrown: NodeJS.ErrnoException) => {
  // A reader may leave early (`| head`), which is no failure while the answer can be asked for again.
  if (thrown.code !== 'EPIPE' || undo !== undefined) void fail(thrown.message)
})
// No one is left to read it.
process.stderr.on('error', () => undefined)
// Node opens it where standard output is closed.
const isNowhere = undo !== undefined && fstatSync(process.stdout.fd).rdev === statSync('/dev/null').rdev
if (isNowhere) await fail('standard output is closed, or /dev/null')
else process.stdout.write(stdout)
say(stderr)
