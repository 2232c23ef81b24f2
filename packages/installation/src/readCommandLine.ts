import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'

/** As much of commander's `Command` as is asked here; the server has no command line and brings no parser along. */
export interface Parser {
  readonly name: () => string
  readonly commands: ReadonlyArray<Parser>
  readonly parse: (words: ReadonlyArray<string>, options: { readonly from: 'user' }) => unknown
}

/** Where a parser says things. */
export interface Output {
  readonly writeOut: (text: string) => void
  readonly writeErr: (text: string) => void
}

/** A whole command line. Parsing it runs nothing: it says by `choose` which command was named. */
export type Program<Command> = (choose: (command: Command) => void, output: Output) => Parser

/** A command to run, or only text to print (help, version). */
export type Reading<Command> =
  | { readonly is: 'command'; readonly command: Command }
  | { readonly is: 'text'; readonly text: string }

/** The command that the words name, as far as they do. */
const nameOf = (parser: Parser, [word, ...rest]: ReadonlyArray<string>): string => {
  const sub = parser.commands.find((command) => command.name() === word)
  return sub === undefined ? parser.name() : `${parser.name()} ${nameOf(sub, rest)}`
}

const mark = 'error: '
const isOption = (word: string): boolean => word.startsWith('-')

const wrongUse = (parser: Parser, words: ReadonlyArray<string>, said: string): string =>
  said.startsWith(mark)
    ? `${said.slice(mark.length).trimEnd()}\nRun \`${nameOf(parser, words)} --help\`.`
    : `name a command\n\n${said.trimEnd()}`

/** A parser ends help and version by a throw as well, with this. */
const endsWell = (thrown: unknown): boolean => thrown instanceof Error && 'exitCode' in thrown && thrown.exitCode === 0

/**
 * What the words ask for. The parser speaks by callbacks and throws; here that becomes a value. `left` says what is wrong
 * and where the help is.
 */
export const readCommandLine = <Command>(
  program: Program<Command>,
  words: ReadonlyArray<string>,
): E.Either<string, Reading<Command>> => {
  const chosen: Array<Command> = []
  const printed: Array<string> = []
  const said: Array<string> = []
  const parser = program((command) => chosen.push(command), {
    writeOut: (text) => printed.push(text),
    writeErr: (text) => said.push(text),
  })
  const wrong = (): string =>
    wrongUse(
      parser,
      words.filter((word) => !isOption(word)),
      said.join(''),
    )
  return pipe(
    E.tryCatch(
      () => parser.parse(words, { from: 'user' }),
      (thrown) => thrown,
    ),
    E.match(
      (thrown) => (endsWell(thrown) ? E.right({ is: 'text', text: printed.join('') }) : E.left(wrong())),
      () =>
        pipe(
          chosen[0],
          E.fromNullable('name a command'),
          E.map((command) => ({ is: 'command', command })),
        ),
    ),
  )
}
