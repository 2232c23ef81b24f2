import type { Writable } from 'node:stream'
import { inspect } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as J from 'fp-ts/lib/Json.js'
import * as t from 'io-ts'

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

const codePoint = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/**
 * What no terminal, log or XML file should meet: control and format characters (a name may turn the direction of a line),
 * line separators, lone surrogates, and the two code points that XML forbids.
 */
export const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFFE\uFFFF]/gu

/** Text on one line, with what is {@link unseen} written as `\u{1b}`: names come from other people's file systems. */
export const visibly = (text: string): string => text.replace(unseen, codePoint)

/** As bash, zsh and ksh read it. */
const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

const quotable = (text: string): string => text.replace(/[\\']/g, (character) => `\\${character}`)

/**
 * Text as a shell reads it back, for commands that are shown to be pasted. What a terminal would act on, or not show, is
 * spelled out.
 */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./,:@%+=-]+$/.test(text)
    ? text
    : text.search(unseen) >= 0
      ? `$'${quotable(text).replace(unseen, escaped)}'`
      : `'${text.replaceAll("'", `'\\''`)}'`

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name)

/** What an unknown thrown value says of itself, in one line. */
export const causeOf = (thrown: unknown): string =>
  thrown instanceof Error
    ? thrown.message === ''
      ? codeOf(thrown)
      : thrown.message
    : inspect(thrown, { breakLength: Number.POSITIVE_INFINITY })

const manifest = t.type({ version: t.string })

/** The version that the text of a `package.json` tells. */
export const versionIn = (packageJson: string): string =>
  pipe(
    J.parse(packageJson),
    E.flatMap(manifest.decode),
    E.match(
      () => 'unknown',
      ({ version }) => version,
    ),
  )

interface Streams {
  readonly stdout: Writable
  readonly stderr: Writable
}

/**
 * Writes what a program has to say. Who reads it may leave early (`| head`), which is no failure; of anything else, such as
 * a full disk, standard error tells, and `failed` is called. `unseen` is what must be said in any case when it was not all
 * read: what cannot be asked for again.
 */
export const writeOut = (
  program: string,
  { stdout, stderr }: Streams,
  text: string,
  failed: () => void,
  unseen?: string,
): void => {
  stdout.on('error', (thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EPIPE' && unseen === undefined) return
    const lines = [`cannot write the whole answer: ${thrown.message}`, ...(unseen === undefined ? [] : [unseen])]
    stderr.write(lines.map((line) => `${program}: ${line}\n`).join(''))
    failed()
  })
  // Nobody is left to tell.
  stderr.on('error', () => undefined)
  stdout.write(text)
}
