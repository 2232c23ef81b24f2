import { allow } from '../answer/refusalAnswer.js'
import { probeMethods } from '../observe/health/answerProbes.js'
import { byStatus, general, type Names, unread } from './errorResponses.js'

type Row = readonly [asked: string, errors: Readonly<Record<string, Names>>]

const rows: ReadonlyArray<Row> = [
  ['any other path', { ...general, ...byStatus(['no such route']) }],
  [`an operation, by another method than \`${allow}\``, { ...general, ...byStatus(['method not allowed']) }],
  [`a probe, by another method than \`${probeMethods}\``, { ...unread, ...byStatus(['method not allowed']) }],
]

const line = ([asked, errors]: Row): string => {
  const answers = Object.entries(errors).map(
    ([status, names]) => `${status} ${names.map((name) => `\`${name}\``).join(', ')}`,
  )
  return `| ${asked} | ${answers.join(', ')} |`
}

/** In words what `x-other-paths` and `x-other-methods` say: pages that show a document leave extensions out. */
export const outside: string = ['| Asked for | Answered |', '|---|---|', ...rows.map(line)].join('\n')
