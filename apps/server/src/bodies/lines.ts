import { Lines, Name, StoragePath, type Tree } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { orThrow, type Piece, PieceText } from './bodyOf.js'
import { isLate, pause } from './pause.js'
import { readAhead } from './readAhead.js'
import type { TreeOptions } from './tree.js'

/**
 * Writes a tree as lines, and knows how far it has come. Unlike the nested tree, it writes a directory before its children are
 * counted, and ends in the middle of one where the node budget ends: a client continues after the last path.
 */
class LineWalk {
  readonly #text = new PieceText()
  readonly #options: TreeOptions
  readonly #matches: (name: string) => boolean
  /** Below 0 at the end of the budget: another node would exceed it. */
  #nodesLeft: number
  /** The last node that was walked, matching or not: this directory, or the file of this name in it. */
  #directory: StoragePath.StoragePath
  #file: Name.Name | undefined

  constructor(tree: Tree.Tree, bounds: Tree.Bounds, options: TreeOptions) {
    this.#options = options
    this.#matches = bounds.matches
    this.#nodesLeft = bounds.nodes
    this.#directory = O.getOrElse(() => tree.path)(bounds.after)
  }

  async *write(tree: Tree.Tree): AsyncGenerator<Piece, void> {
    const path = Name.escaped(tree.path)
    if (tree.type === 'dir') yield* this.#write(tree, path, orThrow(await tree.children()))
    else this.#writeNode(tree, path)
    this.#text.append(this.#nodesLeft < 0 ? Lines.next(this.#lastPath) : Lines.end)
    yield* this.#text.takeAll()
  }

  /** Returns the lines of the unfinished piece, or a line with the last path if the piece is empty. */
  urgent(): Piece {
    if (this.#text.isEmpty) this.#text.append(Lines.at(this.#lastPath))
    return { ...this.#text.take(), isUrgent: true }
  }

  async *#write(directory: Tree.Directory<unknown>, path: string, found: Tree.Present): AsyncGenerator<Piece, void> {
    const { signal } = this.#options
    this.#writeNode(directory, path, found)
    const head = path === '/' ? path : `${path}/`
    let page: Tree.Expansion | undefined = found
    while (page?.is === 'listed' && this.#nodesLeft >= 0) {
      for (const child of readAhead(page.children)) {
        if (this.#text.isFull) yield this.#text.take()
        if (child?.type === 'file') {
          if (this.#count(directory.path, child.name) && this.#matches(child.name))
            this.#text.appendNode(Lines.node(head + Name.escaped(child.name), child))
        } else if (child?.type === 'dir') {
          const below = orThrow(await child.children(), signal)
          if (below.is !== 'vanished') yield* this.#write(child, head + Name.escaped(child.name), below)
        }
        if (this.#nodesLeft < 0) return
        if (isLate()) await pause(signal)
      }
      page = page.next && orThrow(await page.next(), signal)
    }
  }

  /** Writes a directory, or the file at the top. */
  #writeNode(node: Tree.Directory<unknown> | Tree.TopFile, path: string, expansion?: Tree.Present): void {
    if (!node.wasSent && !this.#count(node.path)) return
    const unreadable = expansion?.is === 'not expanded' ? expansion.unreadable : undefined
    // The line of an unreadable directory is sent whatever its name, because only this line tells that nodes are missing.
    if (unreadable !== undefined) this.#options.sawUnreadable?.(unreadable)
    else if (node.wasSent || !this.#matches(node.name)) return
    this.#text.appendNode(Lines.node(path, node, expansion?.is !== 'not expanded'))
  }

  /** Counts a node; false if it would exceed the budget. */
  #count(directory: StoragePath.StoragePath, file?: Name.Name): boolean {
    this.#nodesLeft -= 1
    if (this.#nodesLeft < 0) return false
    this.#directory = directory
    this.#file = file
    return true
  }

  /** Of a file whose path is too long for a request, the path of its directory. */
  get #lastPath(): StoragePath.StoragePath {
    if (this.#file === undefined) return this.#directory
    return O.getOrElse(() => this.#directory)(StoragePath.child(this.#directory, this.#file))
  }
}

/** After this time without a line, one says how far the walk has come, in milliseconds. */
const maxSilenceMs = 10_000

/** Resolves to `undefined` if the promise is still pending after {@link maxSilenceMs}. */
const unlessSilent = <A>(promise: Promise<A>): Promise<A | undefined> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, maxSilenceMs, undefined)
    promise.finally(() => clearTimeout(timer)).then(resolve, reject)
  })

/** Writes a tree as lines. A client waits at most {@link maxSilenceMs} for one, however slow the storage is. */
export async function* linePieces(
  tree: Tree.Tree,
  bounds: Tree.Bounds,
  options: TreeOptions = {},
): AsyncGenerator<Piece, void> {
  const walk = new LineWalk(tree, bounds, options)
  const pieces = walk.write(tree)
  for (;;) {
    const next = pieces.next()
    let piece = await unlessSilent(next)
    for (; piece === undefined; piece = await unlessSilent(next)) yield walk.urgent()
    if (piece.done === true) return
    yield piece.value
  }
}
