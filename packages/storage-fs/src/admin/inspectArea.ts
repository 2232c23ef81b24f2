import { lstatSync } from 'node:fs'
import { Failure, Name, StoragePath } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { errnoOf, nameOfBytes } from '../decode.js'
import { mapInSlices } from '../eventLoop.js'
import { otherCase } from '../fileSystems.js'
import { type HeldNode, type HoldNode, holdNode } from '../holdNode.js'
import { namesIn } from '../readDirectory.js'

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
  /** Anyone who would be shown it is answered `external`: a dead mount, say. */
  | {
      readonly finding: 'node not known'
      readonly path: StoragePath.StoragePath
      /** Such as `ENOTCONN`. */
      readonly errno: string
    }
  /** More than 255 names or 4,096 bytes: neither this nor anything below it can be asked for. */
  | { readonly finding: 'path too long'; readonly directory: StoragePath.StoragePath; readonly name: string }
  /** Other spellings of a name lead to its node here; no directory above is reported for this. */
  | { readonly finding: 'names are folded'; readonly directory: StoragePath.StoragePath }

export type AreaFinding =
  | Trouble
  /** A file or a directory whose name was looked for. */
  | { readonly finding: 'name looked for'; readonly path: StoragePath.StoragePath }

const escaped = (character: string): string =>
  character === '\\' ? '\\\\' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Bytes, each a character (latin1), as printable ASCII: `caf\xe9`. Two names are never written alike. */
export const escapedName = (bytes: string): string => bytes.replace(/[^\x20-\x5b\x5d-\x7e]/g, escaped)

interface Inspected {
  readonly findings: ReadonlyArray<AreaFinding>
  readonly directories: ReadonlyArray<StoragePath.StoragePath>
  readonly foldsNames?: boolean
}

const nothing: Inspected = { findings: [], directories: [] }
const found = (finding: AreaFinding): Inspected => ({ findings: [finding], directories: [] })

/** Where the directory may not be searched, that is its own trouble, and throws: no entry of it can be looked at. */
const unknownIn = ({ reachedBy }: HeldNode, path: StoragePath.StoragePath, thrown: unknown): Inspected => {
  lstatSync(`${reachedBy}/.`)
  return found({ finding: 'node not known', path, errno: errnoOf(thrown) })
}

const inspectName =
  (directory: StoragePath.StoragePath, held: HeldNode, lookedFor: (name: string) => boolean) =>
  (bytes: string): Inspected => {
    const name = nameOfBytes(bytes)
    if (O.isNone(name)) return found({ finding: 'name not listable', directory, name: escapedName(bytes) })
    const path = StoragePath.child(directory, name.value)
    if (O.isNone(path)) return found({ finding: 'path too long', directory, name: name.value })
    try {
      const stats = lstatSync(`${held.reachedBy}/${name.value}`, { throwIfNoEntry: false })
      const isDirectory = stats?.isDirectory() === true
      return {
        findings:
          (isDirectory || stats?.isFile() === true) && lookedFor(name.value)
            ? [{ finding: 'name looked for', path: path.value }]
            : [],
        directories: isDirectory ? [path.value] : [],
      }
    } catch (thrown) {
      return unknownIn(held, path.value, thrown)
    }
  }

/** Each finds another spelling of a name, if the name has one. */
const spellings: ReadonlyArray<(name: string) => string> = [
  (name) => otherCase(name) ?? name,
  (name) => (name === name.normalize('NFD') ? name.normalize('NFC') : name.normalize('NFD')),
  (name) => `${name}.`,
]

/** Looks up the first name of each kind by a spelling that is not listed. */
const foldsNames = ({ reachedBy }: HeldNode, bytes: ReadonlyArray<string>): boolean => {
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
      O.exists((other) => lstatSync(`${reachedBy}/${other}`, { throwIfNoEntry: false }) !== undefined),
    ),
  )
}

const inspectDirectory =
  (directory: StoragePath.StoragePath, lookedFor: (name: string) => boolean) => (held: HeldNode) =>
    pipe(
      TE.tryCatch(async (): Promise<Inspected> => {
        const names = namesIn(held.reachedBy)
        const inspected = await mapInSlices(names, inspectName(directory, held, lookedFor))
        return {
          findings: inspected.flatMap(({ findings }) => findings),
          directories: inspected.flatMap(({ directories }) => directories),
          foldsNames: foldsNames(held, names),
        }
      }, Failure.external),
    )

/** A directory that has vanished is no finding. */
const notReadable =
  (directory: StoragePath.StoragePath) =>
  (failure: Failure.OfStorage): Inspected =>
    failure.error === 'external'
      ? found({ finding: 'directory not readable', directory, errno: errnoOf(failure.cause) })
      : nothing

/**
 * Walks the area in a directory (an absolute path) and finds what of it Canopy cannot show, and which nodes have a name that
 * is looked for. Holds in memory the names of one directory and the directories still to be visited, never the whole area.
 *
 * @param hold how a node is held while it is looked at; by default in the way that this system has
 */
export async function* inspectArea(
  areaDirectory: string,
  lookedFor: (name: string) => boolean = () => false,
  hold: HoldNode = holdNode,
): AsyncGenerator<AreaFinding, void, undefined> {
  const pending: Array<StoragePath.StoragePath> = [StoragePath.root]
  /** Where names are folded; below one no other is reported. */
  const folding: Array<StoragePath.StoragePath> = []
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const at = directory
    const {
      findings,
      directories,
      foldsNames = false,
    } = await pipe(
      TE.bracket(
        TE.fromIOEither(() => hold(areaDirectory, at)),
        inspectDirectory(at, lookedFor),
        ({ close }) => TE.fromIO(close),
      ),
      TE.match(notReadable(at), (inspected) => inspected),
    )()
    if (foldsNames && !folding.some((above) => StoragePath.contains(above)(at))) {
      folding.push(at)
      yield { finding: 'names are folded', directory: at }
    }
    yield* findings
    for (const child of [...directories].reverse()) pending.push(child)
  }
}
