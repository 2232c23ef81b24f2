import { type Failure, Lines, type Name, StoragePath, type Tree } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Body } from '../http/HttpResponse.js'
import { bodyOf, orThrow, type Piece, PieceText } from './bodyOf.js'
import { isLate, pause } from './pause.js'
import { readAhead } from './readAhead.js'
import type { TreeOptions } from './tree.js'

export interface LineOptions extends TreeOptions {
  /** After this time without a line, one says how far the walk has come, in milliseconds. */
  readonly silenceMs?: number
}

const maxSilenceMs = 10_000

/** Whether the walk continues after a node; false where the node budget ends. */
type GoesOn = boolean

/**
 * Writes a tree as lines, and knows how far it has come. Unlike the nested tree, it writes a directory before its children are
 * counted, and ends in the middle of one where the node budget ends: a client continues after the last path.
 */
class LineWalk {
  readonly #text = new PieceText()
  readonly #options: TreeOptions
  readonly #lines: Tree.LineBounds
  readonly #matches: (name: string) => boolean
  #nodesLeft: number
  /** The last node that was walked, matching or not: a directory, or the file of this name in it. */
  #directory: StoragePath.StoragePath
  #file: Name.Name | undefined

  constructor(tree: Tree.Tree, bounds: Tree.Bounds, options: TreeOptions) {
    this.#options = options
    this.#lines = Lines.boundsOf(bounds)
    this.#matches = Lines.matcher(this.#lines)
    this.#nodesLeft = bounds.nodes
    this.#directory = O.getOrElse(() => tree.path)(this.#lines.after)
  }

  async *write(tree: Tree.Tree): AsyncGenerator<Piece, void> {
    const isWhole =
      tree.type === 'dir' ? yield* this.#write(tree, orThrow(await tree.children())) : this.#writeTop(tree)
    this.#text.append(isWhole ? Lines.endLine : Lines.nextLine(this.#lastPath()))
    yield* this.#text.takeAll()
  }

  /** Returns the lines of the unfinished piece, or a line with the last path if the piece is empty. */
  urgent(): Piece {
    if (this.#text.isEmpty) this.#text.append(Lines.atLine(this.#lastPath()))
    return { ...this.#text.take(), isUrgent: true }
  }

  async *#write(
    directory: Tree.Directory<unknown>,
    expansion: Tree.Listed | Tree.NotExpanded,
  ): AsyncGenerator<Piece, GoesOn> {
    if (!this.#writeDirectory(directory, expansion)) return false
    const { signal } = this.#options
    const head = Lines.pathHead(directory.path)
    let page = expansion.is === 'listed' ? expansion : undefined
    while (page !== undefined) {
      for (const child of readAhead(page.children)) {
        if (this.#text.isFull) yield this.#text.take()
        if (child?.type === 'file') {
          if (!this.#walk(directory.path, child.name)) return false
          if (this.#matches(child.name)) this.#text.appendNode(Lines.fileLine(head, child))
        } else if (child?.type === 'dir') {
          const found = orThrow(await child.children())
          signal?.throwIfAborted()
          if (found.is !== 'vanished' && !(yield* this.#write(child, found))) return false
        }
        if (isLate()) await pause(signal)
      }
      page = page.next && orThrow(await page.next())
      signal?.throwIfAborted()
    }
    return true
  }

  #writeDirectory(directory: Tree.Directory<unknown>, expansion: Tree.Listed | Tree.NotExpanded): GoesOn {
    const isStart = Lines.startsIn(this.#lines, directory.path)
    if (!isStart && !this.#walk(directory.path)) return false
    if (expansion.is === 'not expanded' && expansion.unreadable !== undefined)
      this.#options.sawUnreadable?.(expansion.unreadable)
    if (Lines.isUnreadable(expansion) || (!isStart && this.#matches(directory.name)))
      this.#text.appendNode(Lines.directoryLine(directory, expansion.is === 'listed'))
    return true
  }

  #writeTop(file: Tree.TopFile): GoesOn {
    const parent = O.getOrElse(() => StoragePath.root)(StoragePath.parent(file.path))
    if (!Lines.startsIn(this.#lines, file.path) && this.#matches(file.name))
      this.#text.appendNode(Lines.fileLine(Lines.pathHead(parent), file))
    return true
  }

  /** Counts a node; false if the node budget is spent. */
  #walk(directory: StoragePath.StoragePath, file?: Name.Name): GoesOn {
    if (this.#nodesLeft === 0) return false
    this.#nodesLeft -= 1
    this.#directory = directory
    this.#file = file
    return true
  }

  #lastPath(): StoragePath.StoragePath {
    if (this.#file === undefined) return this.#directory
    return O.getOrElse(() => this.#directory)(StoragePath.child(this.#directory, this.#file))
  }
}

/** Resolves to `undefined` if the promise is still pending after this time. */
const within = async <A>(promise: Promise<A>, ms: number): Promise<A | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Writes the lines of a tree. A client waits at most `silenceMs` for a line, however slow the storage is. */
export async function* linePieces(
  tree: Tree.Tree,
  bounds: Tree.Bounds,
  { silenceMs = maxSilenceMs, ...options }: LineOptions = {},
): AsyncGenerator<Piece, void> {
  const walk = new LineWalk(tree, bounds, options)
  const pieces = walk.write(tree)
  for (;;) {
    const next = pieces.next()
    // The client may leave before the piece is ready.
    next.catch(() => undefined)
    let piece = await within(next, silenceMs)
    for (; piece === undefined; piece = await within(next, silenceMs)) yield walk.urgent()
    if (piece.done === true) return
    yield piece.value
  }
}

/** Returns the body of a tree as lines. */
export const linesBody = (
  tree: Tree.Tree,
  bounds: Tree.Bounds,
  options: LineOptions,
): Promise<E.Either<Failure.Failure, Body>> => bodyOf(linePieces(tree, bounds, options), options)
