import { readFileSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { versionIn, visibly, writeOut } from '@canopy/installation'
import { canopy } from './canopy.js'

const version = versionIn(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** On standard error: standard output is for the answer. Anything but y or yes is no. */
const confirm = (lines: ReadonlyArray<string>) => async (): Promise<boolean> => {
  process.stderr.write(`${lines.map(visibly).join('\n')} [y/N] `)
  for await (const answer of createInterface({ input: process.stdin })) return /^y(es)?$/i.test(answer.trim())
  process.stderr.write('\n')
  return false
}

const { stdout, stderr, exit, unseen } = await canopy({
  version,
  words: process.argv.slice(2),
  cwd: () => process.cwd(),
  variables: process.env,
  tell: (line) => process.stderr.write(`canopy: ${visibly(line)}\n`),
  ...(process.stdin.isTTY && process.stderr.isTTY ? { confirm } : {}),
})()
process.exitCode = exit
const failed = (): void => {
  process.exitCode = 1
}
writeOut('canopy', process, stdout, failed, unseen)
process.stderr.write(stderr)
