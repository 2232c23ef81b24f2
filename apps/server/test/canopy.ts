import { bin, canopyAt } from '../../admin/test/canopyIn.js'
import { outputOf, type Variables, type Words } from './startServer.js'

export { bin }

export const canopyWith = async (variables: Variables, ...words: Words) => {
  const { stdout, exit } = await canopyAt(process.cwd(), variables).run(...words, '--json')
  if (exit !== 0) throw new Error(stdout)
  return JSON.parse(stdout)
}

export const canopy = (data: string, ...words: Words) => canopyWith({ CANOPY_DATA: data }, ...words)

/** Runs the built command for each line in a new process, because SQLite keeps files open until a garbage collection. */
export const canopyProcess = async (data: string, ...lines: ReadonlyArray<Words>) => {
  const printed = []
  for (const words of lines) {
    const { code, text } = await outputOf({ CANOPY_DATA: data }, [bin, ...words, '--json'])
    if (code !== 0) throw new Error(text)
    printed.push(JSON.parse(text))
  }
  return printed
}
