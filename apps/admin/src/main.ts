import { readFileSync } from 'node:fs'
import process from 'node:process'
import { versionIn, visibly, writeOut } from '@canopy/installation'
import { canopy } from './canopy.js'

const version = versionIn(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const { stdout, stderr, exit, unseen } = await canopy({
  version,
  words: process.argv.slice(2),
  cwd: () => process.cwd(),
  variables: process.env,
  tell: (line) => process.stderr.write(`canopy: ${visibly(line)}\n`),
})()
process.exitCode = exit
const failed = (): void => {
  process.exitCode = 1
}
writeOut('canopy', process, stdout, failed, unseen)
process.stderr.write(stderr)
