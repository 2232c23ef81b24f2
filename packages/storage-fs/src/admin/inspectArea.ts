import { lstatSync } from 'node:fs'
import { Failure, Name, StoragePath } from '@canopy/domain'
import { yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { namesIn } from '../read/directory.js'
import { nameOfBytes } from '../resolve/decode.js'
import { errnoOf } from '../resolve/errno.js'
import { otherCase } from '../resolve/foldedNames.js'
import { type OpenPinned, openPinned, type PinnedNode } from '../resolve/openPinned.js'

/** Something in an area that Canopy cannot show. */
export type Trouble =
  | {
      readonly finding: 'name not listable'
      readonly directory: StoragePath.StoragePath
      /** Its bytes as printable ASCII: `caf\xe9`. */
      readonly name: string
    }
  | {
      readonly finding: 'directory not readable'
      readonly directory: StoragePath.StoragePath
      /** Such as `EACCES`. */
      readonly errno: string
    }
  /** Makes the answer `external` for a client who would see it, for example a dead mount. */
  | {
      readonly finding: 'node not known'
      readonly path: StoragePath.StoragePath
      /** Such as `ENOTCONN`. */
      readonly errno: string
    }
  /** Has more than 255 names or 4,096 bytes, so neither it nor anything below it can be requested. */
  | { readonly finding: 'path too long'; readonly directory: StoragePath.StoragePath; readonly name: string }
  /** Other spellings of a name lead to its node here. Reported for the topmost such directory. */
  | { readonly finding: 'names are folded'; readonly directory: StoragePath.StoragePath }

export type AreaFinding =
  | Trouble
  /** A file or a directory whose name the caller looks for. */
  | { readonly finding: 'name looked for'; readonly path: StoragePath.StoragePath }
  /** Clients do not see it. */
  | { readonly finding: 'symbolic link'; readonly path: StoragePath.StoragePath }

/**
 * Walks the area in an absolute directory. Finds the nodes that Canopy cannot show, and those with a name that the caller looks
 * for. Keeps in memory only the names of one directory and the directories still to visit.
 *
 * @param pin pins a node while it is examined; by default in the safest way on this system
 */
export async function* inspectArea(
  areaDirectory: string,
  lookedFor: (name: string) => boolean = () => false,
  pin: OpenPinned = openPinned,
): AsyncGenerator<AreaFinding, void, undefined> {
  const pending: Array<StoragePath.StoragePath> = [StoragePath.root]
  /** The topmost directories that fold names. */
  const folding: Array<StoragePath.StoragePath> = []
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const directory = at
    await yieldToEventLoop()
    const { findings, directories, foldsNames } = pipe(
      pin(areaDirectory, directory),
      E.flatMap((pinned) => {
        const inspected = E.tryCatch(() => inspectDirectory(pinned, directory, lookedFor), Failure.external)
        pinned.close()
        return inspected
      }),
      E.getOrElse(notReadable(directory)),
    )
    if (foldsNames === true && !folding.some((above) => StoragePath.contains(above)(directory))) {
      folding.push(directory)
      yield { finding: 'names are folded', directory }
    }
    yield* findings
    for (const child of [...directories].reverse()) pending.push(child)
  }
}

interface Inspected {
  readonly findings: ReadonlyArray<AreaFinding>
  readonly directories: ReadonlyArray<StoragePath.StoragePath>
  readonly foldsNames?: boolean
}

const inspectDirectory = (
  pinned: PinnedNode,
  directory: StoragePath.StoragePath,
  lookedFor: (name: string) => boolean,
): Inspected => {
  const findings: Array<AreaFinding> = []
  const directories: Array<StoragePath.StoragePath> = []
  const inspectName = (bytes: string): AreaFinding | undefined => {
    const name = O.toUndefined(nameOfBytes(bytes))
    if (name === undefined) return { finding: 'name not listable', directory, name: escapedName(bytes) }
    const path = O.toUndefined(StoragePath.child(directory, name))
    if (path === undefined) return { finding: 'path too long', directory, name }
    try {
      const stats = lstatSync(`${pinned.fdPath}/${name}`, { throwIfNoEntry: false })
      if (stats?.isSymbolicLink() === true) return { finding: 'symbolic link', path }
      if (stats?.isDirectory() === true) directories.push(path)
      else if (stats?.isFile() !== true) return undefined
      return lookedFor(name) ? { finding: 'name looked for', path } : undefined
    } catch (thrown) {
      // Throws if the directory cannot be searched: then the problem is the directory's, not the entry's.
      lstatSync(`${pinned.fdPath}/.`)
      return { finding: 'node not known', path, errno: errnoOf(thrown) }
    }
  }
  const names = namesIn(pinned.fdPath)
  for (const bytes of names) {
    const finding = inspectName(bytes)
    if (finding !== undefined) findings.push(finding)
  }
  return { findings, directories, foldsNames: foldsNames(pinned, names) }
}

/** Returns the finding for a directory that cannot be read. A vanished directory is not one. */
const notReadable =
  (directory: StoragePath.StoragePath) =>
  (failure: Failure.OfStorage): Inspected => ({
    findings:
      failure.error === 'external'
        ? [{ finding: 'directory not readable', directory, errno: errnoOf(failure.cause) }]
        : [],
    directories: [],
  })

/** Each returns another spelling of a name, if there is one. */
const spellings: ReadonlyArray<(name: string) => string> = [
  (name) => otherCase(name) ?? name,
  (name) => (name === name.normalize('NFD') ? name.normalize('NFC') : name.normalize('NFD')),
  (name) => `${name}.`,
]

/** Looks up one name of each kind by a spelling that is not listed. */
const foldsNames = ({ fdPath }: PinnedNode, bytes: ReadonlyArray<string>): boolean => {
  const names = pipe(bytes, RA.filterMap(nameOfBytes))
  const listed = new Set<string>(names)
  return spellings.some((spelling) =>
    pipe(
      names,
      RA.findFirstMap((name) =>
        pipe(
          spelling(name),
          Name.fromString,
          O.filter((other) => !listed.has(other)),
        ),
      ),
      O.exists((other) => lstatSync(`${fdPath}/${other}`, { throwIfNoEntry: false }) !== undefined),
    ),
  )
}

const escaped = (character: string): string =>
  character === '\\' ? '\\\\' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Bytes as latin1 text in printable ASCII: `caf\xe9`. Different names have different spellings. */
export const escapedName = (bytes: string): string => bytes.replace(/[^\x20-\x5b\x5d-\x7e]/g, escaped)
