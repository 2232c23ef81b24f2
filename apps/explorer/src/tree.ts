// The directories that are known, one level after the other or a whole tree at once.
import type { DirectoryItem, Failure, NodeVisibility } from '@canopy/client'
import { useEffect, useState } from 'preact/hooks'
import { secretVersion } from './credentials.js'
import { type Level, type Listing, levelOf, streamTree, summed } from './data.js'
import type { Place, View } from './routes.js'
import type { Progress, Read } from './walk.js'

export interface Directory {
  readonly name: string
  readonly above: Directory | undefined
  readonly visibility: NodeVisibility
  isOpen: boolean
  /** `undefined` until it is asked for. */
  content: Content | undefined
  /** While it is asked for. */
  asking: Promise<void> | undefined
  /** Why nothing came. */
  failure: Failure | undefined
}

interface Content {
  readonly directories: ReadonlyArray<Directory>
  readonly files: number
  readonly bytes: bigint
  /** The name that the rest follows. */
  readonly after: string | undefined
}

/** A whole tree that is on its way. */
export interface Expanding {
  readonly directory: Directory
  readonly progress: Progress
  readonly cancel: () => void
}

export interface Tree {
  /** The topmost directory that is open to the one who looks. */
  readonly root: Directory
  /** Names from the root of the area to that of the tree. */
  readonly names: ReadonlyArray<string>
  /** Counts the changes. */
  readonly version: () => number
  readonly expanding: () => Expanding | undefined
  readonly placeOf: (directory: Directory) => Place
  readonly find: (names: ReadonlyArray<string>) => Directory | undefined
  readonly setOpen: (directory: Directory, isOpen: boolean) => void
  /** Asks for what directly is in a directory, or for the rest of it. */
  readonly load: (directory: Directory) => Promise<void>
  /** Takes the whole listing of a directory that has been asked for already. */
  readonly adopt: (directory: Directory, items: ReadonlyArray<DirectoryItem>) => void
  /** Opens what is above a place. */
  readonly reveal: (names: ReadonlyArray<string>, visibility: NodeVisibility) => Promise<void>
  /** Reads all that is below a directory. */
  readonly expand: (directory: Directory) => Promise<void>
  readonly subscribe: (listener: () => void) => () => void
}

const newDirectory = (name: string, visibility: NodeVisibility, above?: Directory): Directory => ({
  name,
  above,
  visibility,
  isOpen: false,
  content: undefined,
  asking: undefined,
  failure: undefined,
})

const contentOf = (directory: Directory, { directories, ...level }: Level): Content => ({
  ...level,
  directories: directories.map(({ name, visibility }) => newDirectory(name, visibility, directory)),
})

const below = (directory: Directory, name: string): Directory | undefined =>
  directory.content?.directories.find((each) => each.name === name)

/** How often progress is shown, in milliseconds. */
const progressMs = 100

const openTree = (view: View, names: ReadonlyArray<string>, visibility: NodeVisibility): Tree => {
  const listeners = new Set<() => void>()
  const root = newDirectory(names.at(-1) ?? '', visibility)
  let expanding: Expanding | undefined
  let version = 0

  const changed = (): void => {
    version += 1
    for (const listener of listeners) listener()
  }

  const namesOf = (directory: Directory): ReadonlyArray<string> =>
    directory.above === undefined ? names : [...namesOf(directory.above), directory.name]
  const placeOf = (directory: Directory): Place => ({ view, names: namesOf(directory) })

  const find = (wanted: ReadonlyArray<string>): Directory | undefined => {
    let found: Directory | undefined = root
    for (const name of wanted.slice(names.length)) found = found && below(found, name)
    return found
  }

  const ask = async (directory: Directory): Promise<void> => {
    const { content } = directory
    const level = await levelOf(placeOf(directory), content?.after, {})
    directory.asking = undefined
    directory.failure = 'failure' in level ? level.failure : undefined
    if ('value' in level) {
      const more = contentOf(directory, level.value)
      directory.content = {
        directories: [...(content?.directories ?? []), ...more.directories],
        files: (content?.files ?? 0) + more.files,
        bytes: (content?.bytes ?? 0n) + more.bytes,
        after: more.after,
      }
    }
    changed()
  }

  const load = async (directory: Directory): Promise<void> => {
    const { content, asking } = directory
    if (asking !== undefined) return asking
    if (content !== undefined && content.after === undefined) return
    directory.asking = ask(directory)
    changed()
    await directory.asking
  }

  const setOpen = (directory: Directory, isOpen: boolean): void => {
    directory.isOpen = isOpen
    changed()
    if (isOpen && directory.content === undefined) void load(directory)
  }

  const reveal = async (wanted: ReadonlyArray<string>, own: NodeVisibility): Promise<void> => {
    let directory = root
    const rest = wanted.slice(names.length)
    for (const [depth, name] of rest.entries()) {
      directory.isOpen = true
      if (directory.content === undefined) await load(directory)
      const { content } = directory
      const known = below(directory, name)
      if (content === undefined || (known === undefined && depth < rest.length - 1)) return
      // One of many, or one that no listing shows: it is open to those who know its name.
      const next = known ?? newDirectory(name, own, directory)
      if (known === undefined) directory.content = { ...content, directories: [next, ...content.directories] }
      directory = next
    }
    changed()
  }

  const adopt = (directory: Directory, items: ReadonlyArray<DirectoryItem>): void => {
    const { content } = directory
    if (content !== undefined && content.after === undefined) return
    directory.isOpen = true
    directory.content = contentOf(directory, { ...summed(items), after: undefined })
    changed()
  }

  const grow = ({ name, visibility: own, content }: Read, above: Directory): Directory => {
    const directory = newDirectory(name, own, above)
    fill(directory, content)
    return directory
  }
  const fill = (directory: Directory, content: Read['content']): void => {
    directory.isOpen = content !== undefined
    directory.failure = undefined
    directory.content = content && {
      directories: content.directories.map((each) => grow(each, directory)),
      files: content.files,
      bytes: content.bytes,
      after: undefined,
    }
  }

  const expand = async (directory: Directory): Promise<void> => {
    expanding?.cancel()
    const { treeReader } = await import('./walk.js')
    const controller = new AbortController()
    const reader = treeReader()
    const show = (): void => {
      expanding = { directory, progress: reader.progress(), cancel: () => controller.abort() }
      changed()
    }
    show()
    const timer = setInterval(show, progressMs)
    const failure = await streamTree(placeOf(directory), reader.read, { signal: controller.signal })
    clearInterval(timer)
    if (expanding?.directory === directory) expanding = undefined
    const read = reader.root()
    if (failure === undefined && read !== undefined) fill(directory, read.content)
    else if (failure?.error !== 'aborted') directory.failure = failure
    changed()
  }

  return {
    root,
    names,
    version: () => version,
    expanding: () => expanding,
    placeOf,
    find,
    setOpen,
    load,
    adopt,
    reveal,
    expand,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

let current: { readonly key: string; readonly tree: Tree } | undefined

/** The tree that a place is in, as it was left. `above` are the visibilities from the root of the area to the place. */
export const useTree = (
  { view, names }: Place,
  above: ReadonlyArray<NodeVisibility | undefined>,
  listing: Listing,
): Tree | undefined => {
  const [, render] = useState(0)
  const depth = above.lastIndexOf(undefined) + 1
  const visibility = above[depth]
  const own = above.at(-1)
  const asker = view.as === 'owner' ? `files ${secretVersion()}` : `id ${view.user}`
  const key = JSON.stringify([asker, names.slice(0, depth)])
  if (visibility !== undefined && current?.key !== key)
    current = { key, tree: openTree(view, names.slice(0, depth), visibility) }
  const tree = visibility === undefined ? undefined : current?.tree
  useEffect(() => tree?.subscribe(() => render((count) => count + 1)), [tree])
  const path = names.join('/')
  const isListed = listing.complete && listing.node?.type === 'dir' && listing.place.names.join('/') === path
  useEffect(() => {
    const open = async (): Promise<void> => {
      if (tree === undefined || own === undefined) return
      await tree.reveal(names, own)
      const here = tree.find(names)
      if (here !== undefined && isListed) tree.adopt(here, listing.items)
    }
    void open()
  }, [tree, path, isListed])
  return tree
}

/** The bytes of all files below, and whether that is all of them. */
export const sizeOf = ({ content }: Directory): { readonly bytes: bigint; readonly isWhole: boolean } => {
  if (content === undefined) return { bytes: 0n, isWhole: false }
  let { bytes, after } = content
  let isWhole = after === undefined
  for (const directory of content.directories) {
    const size = sizeOf(directory)
    bytes += size.bytes
    isWhole &&= size.isWhole
  }
  return { bytes, isWhole }
}
