/** Longer texts are cut, because few people read on. */
const maxBytes = 262_144

export interface ReadText {
  readonly text: string
  /** Of the body, as far as it was read. */
  readonly bytes: number
  readonly isCut: boolean
}

/** Reads the beginning of a body as text. */
export const readText = async ({ body }: Response): Promise<ReadText> => {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    text += decoder.decode(next.value, { stream: true })
    bytes += next.value.length
    if (bytes < maxBytes) continue
    await reader?.cancel()
    return { text: text.slice(0, maxBytes), bytes, isCut: true }
  }
  return { text: text + decoder.decode(), bytes, isCut: false }
}
