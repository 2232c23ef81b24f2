import { Readable } from 'node:stream'
import { Envelope, type Failure, type Tree, TreeNode } from '@canopy/domain'
import { yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { type Body, FailedStream, stream } from '../http/HttpResponse.js'

/** The length of every chunk but the last, because lengths that depend on the nodes would reveal hidden ones. */
const chunkBytes = 64 * 1024
/** Longer text is encoded. */
const textLength = 8 * 1024
/** Between two checks, the text grows by one node with an escaped name, and by `]}` for each level of a path. */
const maxText = textLength + 4096
/** Text is encoded into a chunk that is not full, and a UTF-16 unit takes at most three bytes. */
const roomBytes = chunkBytes + 3 * maxText
/** A smaller tree, of some 2,000 nodes, is sent as one piece. */
const pieceBytes = 256 * 1024
/** All trees together occupy the event loop for at most this time in a tick. */
const stretchMs = 4
/** Reading the clock takes about as long as writing a node. */
const nodesPerCheck = 16
/** Children of a larger directory are built twice, for counting and for writing, instead of staying in memory. */
const smallDirectory = 1024

// Directories that are read ahead stay in memory until they are written. This number fills the batches of the readers.
const nodesAhead = 16_384
const maxAhead = 128
const firstAhead = 4
/** Limit on the children that wait for the writer, including the files between the directories. */
const maxQueued = 256

type Child = Tree.Child | undefined

// Shared by all trees, so that each tick has one stretch of writing, however many trees there are.
let stretchBegan = 0
let looks = 0

const isLate = (): boolean => {
  looks += 1
  return looks % nodesPerCheck === 0 && performance.now() - stretchBegan > stretchMs
}

/** Yields to the event loop. Rejects after the client has left. */
const pause = async (gone: Pick<AbortSignal, 'throwIfAborted'> | undefined): Promise<void> => {
  await yieldToEventLoop()
  gone?.throwIfAborted()
  stretchBegan = performance.now()
}

/**
 * Yields the same children, with the next directories already being read, more of them when directories are small. Refills at
 * half, because a batch of directories costs less than the same directories one by one.
 */
export function* readAhead(children: Iterable<Child>): Generator<Child, void> {
  const iterator = children[Symbol.iterator]()
  const queue: Array<Child> = []
  let reading = 0
  let largest = 0

  /** Measures a directory once it is read. The writer handles a rejection when it reaches the directory. */
  const measure = async (reading: ReturnType<Tree.Directory['children']>): Promise<void> => {
    const read = await reading.catch(() => undefined)
    if (read !== undefined && E.isRight(read) && read.right.is === 'listed')
      largest = Math.max(1, largest, read.right.maxChildren)
  }

  const fill = (wanted: number): void => {
    while (reading < wanted && queue.length < maxQueued) {
      const { done, value: child } = iterator.next()
      if (done === true) return
      if (child?.type === 'dir') {
        reading += 1
        const found = child.children()
        void measure(found)
        queue.push({ ...child, children: () => found })
      } else queue.push(child)
    }
  }

  for (;;) {
    const wanted = largest === 0 ? firstAhead : Math.min(maxAhead, Math.max(1, Math.floor(nodesAhead / largest)))
    if (reading <= wanted / 2) fill(wanted)
    if (queue.length === 0) return
    const next = queue.shift()
    if (next?.type === 'dir') reading -= 1
    yield next
  }
}

/** Returns the children of a directory, if the node budget suffices for all of them; its directories are read ahead. */
const admitted = async (
  { children, maxChildren, admit }: Tree.Listed,
  gone: Pick<AbortSignal, 'throwIfAborted'> | undefined,
): Promise<Iterable<Child> | undefined> => {
  const small: Array<Child> = []
  let count = 0
  let hasDirectories = false
  for (const child of children) {
    if (child !== undefined) {
      count += 1
      if (maxChildren <= smallDirectory) small.push(child)
      if (child.type === 'dir') hasDirectories = true
    }
    if (isLate()) await pause(gone)
  }
  if (!admit(count)()) return undefined
  const shown = maxChildren <= smallDirectory ? small : children
  return hasDirectories ? readAhead(shown) : shown
}

interface TreeChunk {
  readonly bytes: Buffer
  /** The number of nodes since the previous chunk. */
  readonly nodes: number
}

export interface TreeOptions {
  /** Called with the number of nodes in each chunk of a stream. */
  readonly wroteNodes?: ((count: number) => void) | undefined
  /** Called for a directory that is not expanded because it cannot be read. */
  readonly sawUnreadable?: ((directory: Tree.Unreadable) => void) | undefined
  /** Aborts when the client leaves: the rest of the tree is not written. */
  readonly gone?: Pick<AbortSignal, 'throwIfAborted'> | undefined
}

/** Throws a failure, because a generator cannot fail otherwise. */
const orThrow = <A>(read: E.Either<Failure.Failure, A>): A => {
  if (E.isLeft(read)) throw new FailedStream(read.left)
  return read.right
}

/** Writes a tree depth-first, in chunks. Keeps only the open directories and the ones that are read ahead in memory. */
export async function* treeBytes(
  root: Tree.Tree,
  { sawUnreadable, gone }: TreeOptions = {},
): AsyncGenerator<TreeChunk, void> {
  let text: string = Envelope.treeJsonHead
  let bytes = Buffer.alloc(0)
  let length = 0
  let nodes = 0

  const encode = (): void => {
    if (length === 0) bytes = Buffer.allocUnsafeSlow(roomBytes)
    length += bytes.write(text, length)
    text = ''
  }
  const take = (): TreeChunk => {
    const chunk = { bytes: bytes.subarray(0, Math.min(length, chunkBytes)), nodes }
    const rest = bytes.subarray(chunk.bytes.length, length)
    if (rest.length > 0) bytes = Buffer.allocUnsafeSlow(roomBytes)
    length = rest.copy(bytes)
    nodes = 0
    return chunk
  }

  async function* write(
    directory: Pick<Tree.Directory, 'name' | 'visibility'>,
    found: Tree.Listed | Tree.NotExpanded,
  ): AsyncGenerator<TreeChunk, void> {
    nodes += 1
    text += TreeNode.directoryJsonHead(directory)
    if (found.is === 'not expanded' && found.unreadable !== undefined) sawUnreadable?.(found.unreadable)
    const children = found.is === 'listed' ? await admitted(found, gone) : undefined
    if (children === undefined) {
      text += '}'
      return
    }
    text += ',"content":['
    let comma = ''
    for (const child of children) {
      if (text.length >= textLength) encode()
      if (length >= chunkBytes) yield take()
      if (child?.type === 'file') {
        nodes += 1
        text += comma
        text += TreeNode.fileJson(child)
        comma = ','
      } else if (child?.type === 'dir') {
        const expansion = orThrow(await child.children())
        gone?.throwIfAborted()
        if (expansion.is !== 'vanished') {
          text += comma
          yield* write(child, expansion)
          comma = ','
        }
      }
      if (isLate()) await pause(gone)
    }
    text += ']}'
  }

  if (root.type === 'dir') yield* write(root, orThrow(await root.children()))
  else {
    nodes += 1
    text += TreeNode.fileJson(root)
  }
  text += Envelope.treeJsonTail
  if (length === 0) return yield { bytes: Buffer.from(text), nodes }
  encode()
  yield take()
  if (length > 0) yield take()
}

async function* bytesOf(
  first: Buffer,
  rest: AsyncIterable<TreeChunk>,
  wroteNodes: TreeOptions['wroteNodes'],
): AsyncGenerator<Buffer, void> {
  yield first
  for await (const { bytes, nodes } of rest) {
    wroteNodes?.(nodes)
    yield bytes
  }
}

const bodyOf = async (tree: Tree.Tree, options: TreeOptions): Promise<Body> => {
  const { wroteNodes } = options
  const chunks = treeBytes(tree, options)
  const piece: Array<Buffer> = []
  let length = 0
  let nodes = 0
  while (length <= pieceBytes) {
    const chunk = await chunks.next()
    if (chunk.done === true) return { is: 'bytes', bytes: Buffer.concat(piece, length), nodes }
    piece.push(chunk.value.bytes)
    length += chunk.value.bytes.length
    nodes += chunk.value.nodes
  }
  wroteNodes?.(nodes)
  const bytes = bytesOf(Buffer.concat(piece, length), chunks, wroteNodes)
  // The next chunks are written while the client reads.
  return stream(Readable.from(bytes, { objectMode: false, highWaterMark: pieceBytes }))
}

/**
 * Returns the body of a tree. A small one is bytes, with a length and an entity tag. A larger one is a stream that begins when
 * its first piece is ready, so that an earlier failure is still a complete response.
 */
export const treeBody = async (tree: Tree.Tree, options: TreeOptions): Promise<E.Either<Failure.Failure, Body>> => {
  try {
    return E.right(await bodyOf(tree, options))
  } catch (thrown) {
    if (thrown instanceof FailedStream) return E.left(thrown.failure)
    throw thrown
  }
}
