import { CommanderError, type Command as Parser } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Command } from './CommandEnv.js'
import { type Problem, wrongUsage } from './Problem.js'
import { program } from './program.js'

/** A command to run, or only text to print (help, version). */
export type Reading =
  | { readonly is: 'command'; readonly command: Command }
  | { readonly is: 'text'; readonly text: string }

/** The command that the words name, as far as they do. */
const nameOf = (parser: Parser, [word, ...rest]: ReadonlyArray<string>): string => {
  const sub = parser.commands.find((command) => command.name() === word)
  return sub === undefined ? parser.name() : `${parser.name()} ${nameOf(sub, rest)}`
}

const problemOf = (parser: Parser, words: ReadonlyArray<string>, said: string): Problem =>
  wrongUsage(
    said.startsWith('error: ')
      ? `${said.slice('error: '.length).trimEnd()}\nRun \`${nameOf(parser, words)} --help\`.`
      : `name a command\n\n${said.trimEnd()}`,
  )

/** The parser speaks by callbacks and throws; here that becomes a value. Nothing is run. */
export const readCommandLine = (version: string, words: ReadonlyArray<string>): E.Either<Problem, Reading> => {
  const chosen: Array<Command> = []
  const printed: Array<string> = []
  const said: Array<string> = []
  const parser = program(version, (command) => chosen.push(command), {
    writeOut: (text) => printed.push(text),
    writeErr: (text) => said.push(text),
  })
  return pipe(
    E.tryCatch(
      () => parser.parse(words, { from: 'user' }),
      (thrown) => thrown,
    ),
    E.match(
      (thrown) =>
        thrown instanceof CommanderError && thrown.exitCode === 0
          ? E.right<Problem, Reading>({ is: 'text', text: printed.join('') })
          : E.left(
              problemOf(
                parser,
                words.filter((word) => word !== '--json'),
                said.join(''),
              ),
            ),
      () =>
        pipe(
          E.fromNullable(wrongUsage('name a command'))(chosen[0]),
          E.map((command): Reading => ({ is: 'command', command })),
        ),
    ),
  )
}
