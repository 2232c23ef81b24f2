import type { WalkedNode } from '@canopy/client'
import { type Directory, newDirectory } from './Directory.js'

/** The content of a directory while its subtree arrives. */
interface GrowingContent {
  readonly directories: Array<Directory>
  files: number
  bytes: bigint
  readonly next: undefined
}

interface OpenDirectory {
  readonly path: string
  readonly directory: Directory
  readonly content: GrowingContent
}

const contains = (path: string, below: string): boolean => path === '/' || below.startsWith(`${path}/`)

/** The subtree of a directory, from a walk. Files only count, so that a million of them take little memory. */
export class Subtree {
  nodeCount = 0
  private readonly top: Directory
  private topContent: GrowingContent | undefined
  /** From the top to the directory of the last node. */
  private readonly open: Array<OpenDirectory> = []

  constructor(top: Directory) {
    this.top = top
  }

  add(node: WalkedNode): void {
    this.nodeCount += 1
    while (!contains(this.open.at(-1)?.path ?? '/', node.path)) this.open.pop()
    const parent = this.open.at(-1)
    if (node.type === 'dir') this.addDirectory(node, parent)
    else if (parent !== undefined) {
      parent.content.files += 1
      parent.content.bytes += node.size
    }
  }

  /** Replaces the content of the top directory by that of a complete walk. */
  finish(): void {
    this.top.isOpen = this.topContent !== undefined
    this.top.content = this.topContent
    this.top.failure = undefined
  }

  private addDirectory({ path, visibility, expanded }: WalkedNode, parent: OpenDirectory | undefined): void {
    const directory = parent === undefined ? this.top : this.childOf(parent, path)
    directory.visibility = visibility
    if (expanded === false) return
    const content: GrowingContent = { directories: [], files: 0, bytes: 0n, next: undefined }
    if (parent === undefined) this.topContent = content
    else {
      directory.isOpen = true
      directory.content = content
    }
    this.open.push({ path, directory, content })
  }

  private childOf({ directory, content }: OpenDirectory, path: string): Directory {
    const child = newDirectory(path.slice(path.lastIndexOf('/') + 1), undefined, directory)
    content.directories.push(child)
    return child
  }
}
