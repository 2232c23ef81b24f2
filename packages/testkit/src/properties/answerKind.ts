import type { Answer } from '../scenarios/Scenario.js'

const kinds = [
  ['"type":"tree","content":{"type":"file"', 'tree of a file'],
  ['"type":"dir content","content":[]', 'empty listing'],
  ['"type":"dir content"', 'listing'],
  ['"type":"trigger peak"', 'trigger'],
] as const

const holdsNodes = (tree: string): boolean => tree.includes('"content":[{')

/** Successes that show at least one node. */
export const showingNodes = ['tree', 'tree of a file', 'listing']

/** What sort of answer it is: so that a run which only ever sees failures does not pass for a good one. */
export const answerKind = (answer: Answer): string => {
  if ('error' in answer) return answer.error
  const known = kinds.find(([beginning]) => answer.body.startsWith(`{${beginning}`))
  return known?.[1] ?? (holdsNodes(answer.body) ? 'tree' : 'tree of one directory')
}
