import { statfsSync } from 'node:fs'

/**
 * How a file system may find a node by another spelling of its name. `by case`: per directory, if at all. `as its layers`:
 * like the file system below, of any kind.
 */
export type Folding = 'never' | 'by case' | 'as its layers' | 'in any way'

export interface Kind {
  /** The names in `/proc/self/mountinfo`. */
  readonly names: ReadonlyArray<string>
  /** The type that statfs(2) reports. */
  readonly magic: number
  readonly folding: Folding
  /** The size of a directory is unrelated to the number of its entries. */
  readonly hidesSize?: true
  /** A directory that was rolled back keeps its device, inode and birth time. */
  readonly rollsBack?: true
}

/** Local kinds: only this kernel changes them, so it reports changes, and they hang only if their disk does. */
const local: ReadonlyArray<Kind> = [
  { names: ['ext2', 'ext3', 'ext4'], magic: 0xef53, folding: 'by case' },
  { names: ['xfs'], magic: 0x58465342, folding: 'by case' },
  { names: ['btrfs'], magic: 0x9123683e, folding: 'never', rollsBack: true },
  { names: ['zfs'], magic: 0x2fc12fc1, folding: 'in any way' },
  { names: ['f2fs'], magic: 0xf2f52010, folding: 'by case' },
  { names: ['tmpfs'], magic: 0x01021994, folding: 'by case' },
  { names: ['overlay'], magic: 0x794c7630, folding: 'as its layers', hidesSize: true },
]

const byMagic = new Map(local.map((kind) => [kind.magic, kind]))
/** The names in `/proc/self/mountinfo`. */
export const localNames: ReadonlySet<string> = new Set(local.flatMap(({ names }) => names))

/** Returns the kind of the file system at a path; `undefined` if it is not a local one. Throws errors of `node:fs`. */
export const kindAt = (path: string): Kind | undefined => byMagic.get(statfsSync(path).type)

/** Throws errors of `node:fs`. */
export const foldingAt = (path: string): Folding => kindAt(path)?.folding ?? 'in any way'
