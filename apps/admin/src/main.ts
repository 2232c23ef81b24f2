import { readFileSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { canopy } from './program.js'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const say = (text: string): unknown => process.stderr.write(text)

/** On standard error: standard output is for the answer. Anything but y or yes is no. */
const ask = async (question: string): Promise<boolean> => {
  say(question)
  for await (const answer of createInterface({ input: process.stdin })) return /^y(es)?$/i.test(answer.trim())
  say('\n')
  return false
}

let isBarShown = false

/** On standard error, in one line that goes when all is done. */
const progress = (done: number, all: number): void => {
  const share = done / all
  isBarShown = share < 1
  const bar = `${'#'.repeat(Math.round(share * 40))}${'.'.repeat(40 - Math.round(share * 40))}`
  say(isBarShown ? `\r[${bar}] ${Math.floor(share * 100)} %` : '\r\u001B[K')
}

// The version here runs on this Node; what the SDK says of its next ones is for those who update it.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'

const { stdout, stderr, exit, unseen } = await canopy({
  version: manifest.version,
  words: process.argv.slice(2),
  cwd: () => process.cwd(),
  variables: process.env,
  say,
  progress: process.stderr.isTTY ? progress : undefined,
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
})
process.exitCode = exit
process.stdout.on('error', (thrown: NodeJS.ErrnoException) => {
  // A reader may leave early (`| head`), which is no failure while the answer can be asked for again.
  if (thrown.code === 'EPIPE' && unseen === undefined) return
  process.exitCode = 1
  say(`canopy: cannot write the whole answer: ${thrown.message}\n${unseen === undefined ? '' : `canopy: ${unseen}\n`}`)
})
// No one is left to read it.
process.stderr.on('error', () => undefined)
process.stdout.write(stdout)
say(isBarShown ? `\n${stderr}` : stderr)
