import { onceFor, TreeNode } from '@canopy/domain'

/** Writes a chunk of bytes, then the next one. */
export interface ChunkWriter {
  readonly text: (text: string) => void
  readonly files: (files: TreeNode.Files) => void
  /** How long the chunk is by now; short by some bytes where the text is not ASCII. */
  readonly length: () => number
  readonly take: () => Buffer
}

interface Written {
  bytes: Buffer | undefined
}

/** Where in the open text the files stand of which the bytes will be remembered. */
interface Place {
  readonly written: Written
  readonly from: number
  readonly to: number
}

/** Remembering a few files costs more than writing them again. */
const fewestRemembered = 8

/** What was written of the files of a listing, for as long as the listing is kept. */
const writtenOf = onceFor<TreeNode.Files, Written>(() => ({ bytes: undefined }))

/** A piece of the chunk in which they stood first, so that nothing is copied. */
const remember = (text: string, bytes: Buffer, { written, from, to }: Place): void => {
  written.bytes = bytes.length === text.length ? bytes.subarray(from, to) : Buffer.from(text.slice(from, to))
}

export const chunkWriter = (): ChunkWriter => {
  let closed: Array<Buffer> = []
  let closedBytes = 0
  let open = ''
  let places: Array<Place> = []

  const add = (bytes: Buffer): void => {
    closed.push(bytes)
    closedBytes += bytes.length
  }

  const close = (): void => {
    if (open === '') return
    const bytes = Buffer.from(open)
    for (const place of places) remember(open, bytes, place)
    add(bytes)
    open = ''
    places = []
  }

  return {
    text: (text) => {
      open += text
    },
    files: (files) => {
      if (files.files.length < fewestRemembered) {
        open += TreeNode.filesJson(files)
        return
      }
      const written = writtenOf(files)
      if (written.bytes !== undefined) {
        close()
        add(written.bytes)
        return
      }
      const from = open.length
      open += TreeNode.filesJson(files)
      places.push({ written, from, to: open.length })
    },
    length: () => closedBytes + open.length,
    take: () => {
      close()
      const chunk = closed.length === 1 && closed[0] !== undefined ? closed[0] : Buffer.concat(closed, closedBytes)
      closed = []
      closedBytes = 0
      return chunk
    },
  }
}
