import { onceFor, TreeNode } from '@canopy/domain'

/** What all chunks but the last are long: were it to follow from what is written, it would tell what is not shown. */
const chunkBytes = 64 * 1024

/** Writes bytes, which leave in chunks. */
export interface ChunkWriter {
  readonly text: (text: string) => void
  readonly files: (files: TreeNode.Files) => void
  /** The next chunk, when it is full. */
  readonly take: () => Buffer | undefined
  /** All that is left. */
  readonly end: () => ReadonlyArray<Buffer>
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

/** A piece of the text in which they stood first, so that nothing is copied for it. */
const remember = (text: string, bytes: Buffer, { written, from, to }: Place): void => {
  written.bytes = bytes.length === text.length ? bytes.subarray(from, to) : Buffer.from(text.slice(from, to))
}

export const chunkWriter = (): ChunkWriter => {
  let closed: Array<Buffer> = []
  let closedBytes = 0
  let open = ''
  let openBytes = 0
  let places: Array<Place> = []

  const add = (bytes: Buffer): void => {
    closed.push(bytes)
    closedBytes += bytes.length
  }

  const write = (text: string): void => {
    open += text
    openBytes += Buffer.byteLength(text)
  }

  const close = (): void => {
    if (open === '') return
    const bytes = Buffer.from(open)
    for (const place of places) remember(open, bytes, place)
    add(bytes)
    open = ''
    openBytes = 0
    places = []
  }

  const takeBytes = (count: number): Buffer => {
    const chunk = Buffer.concat(closed, count)
    let left = count
    const after = closed.findIndex(({ length }) => {
      if (left < length) return true
      left -= length
      return false
    })
    closed = after === -1 ? [] : closed.slice(after)
    if (left > 0 && closed[0] !== undefined) closed[0] = closed[0].subarray(left)
    closedBytes -= count
    return chunk
  }

  return {
    text: write,
    files: (files) => {
      if (files.files.length < fewestRemembered) return write(TreeNode.filesJson(files))
      const written = writtenOf(files)
      if (written.bytes !== undefined) {
        close()
        add(written.bytes)
        return
      }
      const from = open.length
      write(TreeNode.filesJson(files))
      places.push({ written, from, to: open.length })
    },
    take: () => {
      if (closedBytes + openBytes < chunkBytes) return undefined
      close()
      return takeBytes(chunkBytes)
    },
    end: () => {
      close()
      const rest = takeBytes(closedBytes)
      return Array.from({ length: Math.ceil(rest.length / chunkBytes) }, (_, index) =>
        rest.subarray(index * chunkBytes, (index + 1) * chunkBytes),
      )
    },
  }
}
