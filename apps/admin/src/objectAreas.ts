import { type Area, type Failure, Name, StoragePath } from '@canopy/domain'
import { causeOf, shellWord } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import type { S3Url } from '@canopy/storage-s3'
import { isKeyPrefix, type S3Areas, StoreFailed, s3Areas } from '@canopy/storage-s3/admin'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type AreaStore, areaOf, commandOn, type Finding, notCreatable } from './areas.js'
import { failed, type Problem } from './Problem.js'
import { isSecretName } from './secretNames.js'

/** `left` says what to write. */
const keyPrefix = (location: Area.AreaLocation): E.Either<Problem, Area.AreaLocation> => {
  if (isKeyPrefix(location)) return E.right(location)
  if (location.startsWith('/'))
    return E.left(
      notCreatable(
        `"${location}" is a directory, and the storage is an object store`,
        "name a key prefix below the storage's, such as team/photos",
      ),
    )
  const proper = location.split('/').filter(Name.is).join('/')
  const rule = `without empty, "." and ".." segments, each of at most ${Name.maxBytes} bytes`
  return E.left(notCreatable(`"${location}" is no key prefix`, `write it ${rule}, such as ${proper || 'team/photos'}`))
}

/** The most directories that a finding shows. */
const shown = 3

/** Where the storage is an object store, and the area a directory. */
const ofFileStorage = (account: Account): Finding => ({
  kind: 'missing area',
  message: `${account.location} is a directory of file storage, and the storage is an object store, so every request answers \`external\`: ${commandOn('account update', account, '--area PREFIX')} gives the account a key prefix`,
})

const noKeys = (account: Account, prefix: string): Finding => ({
  kind: 'missing area',
  message: `no key begins with ${prefix}, so every request answers \`external\`: ${commandOn('account update', account, '--area', shellWord(account.location))} makes the area, empty, or ${commandOn('account delete', account)}`,
})

/** Of keys that have empty, `.` or `..` segments, or names that are too long or not UTF-8. `around` are some directories of them. */
const ofNameless = (count: number, around: ReadonlyArray<StoragePath.StoragePath>): Finding => ({
  kind: 'unlistable keys',
  message: `has ${count === 1 ? '1 key that names' : `${count} keys that name`} nothing, so no client can see what they hold, in ${around.join(', ')}: copy what is needed to keys without empty, "." and ".." segments`,
})

/** Names compare by their bytes, so another spelling finds nothing; but each look-up lists the directories above it. */
const ofCase = (directory: string): Finding => ({
  kind: 'folded names',
  message: `the store ignores the case of keys in ${directory}, so requests are slow, and \`canopy account create\` refuses it: move its data to a file system that does not, or to another store`,
})

/** What the command could not do, and what the store, or the location, said. */
const notDone =
  (what: string, problem: ReturnType<typeof failed> = failed('external')) =>
  ({ cause }: Failure.External): Problem =>
    cause instanceof StoreFailed
      ? problem(`${what}: ${cause.reason}`, cause.hint)
      : problem(`${what}: ${causeOf(cause)}`)

/** Areas that are key prefixes of an object store, and the ports over them. */
export const objectAreas = async (
  url: S3Url.S3Url,
): Promise<{ readonly areas: AreaStore; readonly storage: S3Areas }> => {
  const storage = await s3Areas(url)
  const placeOf = (location: string): string => `s3://${url.bucket}/${url.prefix}${location}`.replace(/\/$/, '')
  const directoryOf: AreaStore['directoryOf'] = (location) =>
    isKeyPrefix(location) ? `${placeOf(location)}/` : location

  const inspect: AreaStore['inspect'] = async function* (account, onNode) {
    const directory = directoryOf(account.location)
    if (!isKeyPrefix(account.location)) return yield ofFileStorage(account)
    let isEmpty = true
    let nameless = 0
    const around = new Set<StoragePath.StoragePath>()
    for await (const found of storage.inspect(account.location)) {
      isEmpty = false
      onNode()
      if (found.is === 'no name') {
        nameless += 1
        if (around.size < shown) around.add(found.directory)
      } else if (isSecretName(StoragePath.name(found.path))) yield found.path
    }
    // Of an empty area there is a marker.
    if (isEmpty && E.isLeft(await storage.nodeAt(areaOf(account), StoragePath.root)())) yield noKeys(account, directory)
    const ignoresCase = await storage.ignoresCase(account.location)()
    if (E.isLeft(ignoresCase)) throw ignoresCase.left.cause
    if (ignoresCase.right) yield ofCase(directory)
    if (nameless > 0) yield ofNameless(nameless, [...around])
  }

  const areas: AreaStore = {
    areaIs: 'key prefix',
    holdsMount: () => false,
    title: placeOf(''),
    reachable: storage.reachable,
    directoryOf,
    placeOf: (location) =>
      T.of(location === undefined ? placeOf('') : isKeyPrefix(location) ? placeOf(location) : undefined),
    check: flow(keyPrefix, TE.fromEither),
    create: (location) =>
      pipe(
        TE.fromEither(keyPrefix(location)),
        TE.flatMap((prefix) =>
          pipe(storage.createArea(prefix), TE.mapLeft(notDone(`${directoryOf(prefix)} cannot be made`, notCreatable))),
        ),
        TE.map(({ isNew }) => ({ directory: directoryOf(location), isNew, isMountPoint: false })),
      ),
    names: pipe(storage.names, TE.mapLeft(notDone('cannot read the storage'))),
    inspect,
    put: ({ location }, path, text) =>
      pipe(
        storage.put(location, text === undefined ? `${path}/` : path, text ?? ''),
        TE.mapLeft(notDone(`cannot put ${path} into ${directoryOf(location)}`)),
      ),
    close: storage.close,
  }
  return { areas, storage }
}
