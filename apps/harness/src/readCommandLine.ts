import { CommanderError, type Command as Parser } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Command } from './Command.js'
import { program } from './program.js'
import { type Refusal, wrongUsage } from './Refusal.js'

/** A command to run, or only text to print (help, version). */
export type Reading =
  | { readonly is: 'command'; readonly command: Command }
  | { readonly is: 'text'; readonly text: string }

const helpOf = (parser: Parser, [word]: ReadonlyArray<string>): string => {
  const sub = parser.commands.find((command) => command.name() === word)
  return `${parser.name()}${sub === undefined ? '' : ` ${sub.name()}`} --help`
}

const refusalOf = (parser: Parser, words: ReadonlyArray<string>, said: string): Refusal =>
  wrongUsage(
    said.startsWith('error: ')
      ? `${said.slice('error: '.length).trimEnd()}\nRun \`${helpOf(parser, words)}\`.`
      : `name a command\n\n${said.trimEnd()}`,
  )

/** The parser speaks by callbacks and throws; here that becomes a value. Nothing is run. */
export const readCommandLine = (version: string, words: ReadonlyArray<string>): E.Either<Refusal, Reading> => {
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
          ? E.right<Refusal, Reading>({ is: 'text', text: printed.join('') })
          : E.left(refusalOf(parser, words, said.join(''))),
      () =>
        pipe(
          chosen[0],
          E.fromNullable(wrongUsage('name a command')),
          E.map((command): Reading => ({ is: 'command', command })),
        ),
    ),
  )
}
