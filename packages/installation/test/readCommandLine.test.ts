import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { type Output, type Parser, readCommandLine } from '../src/commandLine.js'

type Parse = (choose: (command: string) => void, output: Output) => void

const named = (name: string, commands: ReadonlyArray<Parser> = []): Parser => ({
  name: () => name,
  commands,
  parse: () => undefined,
})

/** A parser of `tool sub leaf`, which does this when it parses. */
const reading = (parse: Parse, ...words: ReadonlyArray<string>) =>
  readCommandLine<string>(
    (choose, output) => ({
      ...named('tool', [named('other'), named('sub', [named('leaf')])]),
      parse: (parsed, options) => {
        expect([parsed, options]).toEqual([words, { from: 'user' }])
        parse(choose, output)
      },
    }),
    words,
  )

const ended = (exitCode: number) => Object.assign(new Error('ended'), { exitCode })

const refusing =
  (...said: ReadonlyArray<string>): Parse =>
  (_, { writeErr }) => {
    for (const text of said) writeErr(text)
    throw ended(1)
  }

describe('a command line', () => {
  it('names a command, which is not run', () => {
    const parse: Parse = (choose) => choose('the command')
    expect(reading(parse, 'sub', 'leaf')).toStrictEqual(E.right({ is: 'command', command: 'the command' }))
  })

  it('may ask only for text: all that the parser printed before it ended well', () => {
    const parse: Parse = (_, { writeOut }) => {
      writeOut('Usage: ')
      writeOut('tool')
      throw ended(0)
    }
    expect(reading(parse, '--help')).toStrictEqual(E.right({ is: 'text', text: 'Usage: tool' }))
  })

  it.each([
    ['tool', []],
    ['tool', ['leaf', 'sub']],
    ['tool other', ['other', 'leaf']],
    ['tool sub', ['sub', 'x', 'leaf']],
    ['tool sub leaf', ['--json', 'sub', '-v', 'leaf', 'x']],
  ])('when it is wrong, says so and where the help is: `%s --help`', (name, words) => {
    expect(reading(refusing('error: unknown option\n', '(Did you mean x?)\n'), ...words)).toStrictEqual(
      E.left(`unknown option\n(Did you mean x?)\nRun \`${name} --help\`.`),
    )
  })

  it('without a command is wrong, and shows the help', () => {
    expect(reading(refusing('Usage: tool\n\n'))).toStrictEqual(E.left('name a command\n\nUsage: tool'))
    expect(reading(() => undefined)).toStrictEqual(E.left('name a command'))
  })

  it.each([{ exitCode: 0 }, new Error('a fault'), 'a fault', undefined])(
    'is wrong when the parser throws anything else',
    (thrown) => {
      const parse: Parse = (_, { writeOut }) => {
        writeOut('text')
        throw thrown
      }
      expect(E.isLeft(reading(parse))).toBe(true)
    },
  )
})
