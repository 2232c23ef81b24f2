import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Variables } from './Installation.js'

// Spaces only: Node 20 takes a tab, or a mark of the byte order, for a part of the name, also of the line after it.
const name = String.raw`^ *(?:export )?[\w.-]+ *=`
const quoted = new RegExp(String.raw`(${name}) *(["'\x60]).*?\2`, 'gms')
const isFine = new RegExp(String.raw`${name}(?!\t| *["'\x60])|^ *(#|\r?$)`)

/** A value in quotes may have several lines, which are none of the file. */
const withoutQuoted = (text: string): string =>
  text.replace(quoted, (all, begin: string) => begin + all.slice(begin.length).replace(/[^\n]/g, ''))

/** What is no variable would be left out without a word. Nothing of the line is repeated: it may hold a password. */
const problemsIn = (text: string): ReadonlyArray<string> =>
  withoutQuoted(text)
    .split('\n')
    .flatMap((line, index) =>
      isFine.test(line)
        ? []
        : [
            `CANOPY_CONFIG: line ${index + 1} of the file must be NAME=value or begin with #, without tabs before or after the name, its quotes closed`,
          ],
    )

const variablesIn = (text: string): E.Either<ReadonlyArray<string>, Variables> => {
  const problems = problemsIn(text)
  return problems.length > 0 ? E.left(problems) : E.right(parseEnv(text))
}

/** Some errors of a file tell its name, some do not. */
const named = (path: string, { message }: Error): string => (message.includes(path) ? message : `${message} '${path}'`)

/**
 * Throws what `node:fs` throws, and refuses what is no regular file: a reload reads the file again, but a pipe gives its
 * content only once.
 */
const readRegular = (path: string): string => {
  if (!statSync(path).isFile())
    throw new Error(
      `${path} is a directory, a pipe or a device. Write the variables to a regular file, or set them in the environment`,
    )
  return readFileSync(path, 'utf8')
}

const read = (cwd: string, file: string): E.Either<ReadonlyArray<string>, string> => {
  const path = resolve(cwd, file)
  return file === ''
    ? E.left(['CANOPY_CONFIG is empty: name a file, or unset it'])
    : pipe(
        E.tryCatch(() => readRegular(path), E.toError),
        E.mapLeft((error) => [`CANOPY_CONFIG must name a regular file that can be read: ${named(path, error)}`]),
      )
}

/**
 * The environment, and behind it what stands in the file that `CANOPY_CONFIG` names. A process keeps its environment for
 * life; the file is read anew by each one that starts, so that a reload finds what was changed.
 */
export const withConfigFile = (cwd: string, variables: Variables): E.Either<ReadonlyArray<string>, Variables> => {
  const file = variables['CANOPY_CONFIG']
  return file === undefined
    ? E.right(variables)
    : pipe(
        read(cwd, file),
        E.flatMap(variablesIn),
        E.map((found) => ({ ...found, ...variables })),
      )
}
