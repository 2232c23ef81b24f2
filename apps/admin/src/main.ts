import { readFileSync } from 'node:fs'
import process from 'node:process'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { canopy } from './canopy.js'

const version = pipe(
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')),
  (manifest: unknown) => t.type({ version: t.string }).decode(manifest),
  E.match(
    () => 'unknown',
    (manifest) => manifest.version,
  ),
)

const { stdout, stderr, exit } = await canopy({
  version,
  words: process.argv.slice(2),
  cwd: process.cwd(),
  variables: process.env,
})()
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = exit
