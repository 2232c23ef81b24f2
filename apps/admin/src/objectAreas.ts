import { type Area, type Failure, Name, StoragePath } from '@canopy/domain'
import { reasonOf, shellWord } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import type { S3Url } from '@canopy/storage-s3'
import { isKeyPrefix, type S3Areas, StoreFailed, s3Areas } from '@canopy/storage-s3/admin'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type AreaStore, anyOwner, areaOf, commandOn, type Finding, notCreatable } from './AreaStore.js'
import { type Problem, problem } from './Problem.js'
import { withCount } from './Report.js'
import { isSecretName } from './secretNames.js'

/** Areas that are key prefixes of an object store, and the ports over them. */
export const objectAreas = async (
  url: S3Url.S3Url,
): Promise<{ readonly areas: AreaStore; readonly storage: S3Areas }> => {
  const storage = await s3Areas(url)
  const urlOf = (location: string): string => `s3://${url.bucket}/${url.prefix}${location}`.replace(/\/$/, '')
  const directoryOf: AreaStore['directoryOf'] = (location) => (isKeyPrefix(location) ? `${urlOf(location)}/` : location)
  const areas: AreaStore = {
    kind: 'key prefix',
    holdsMount: () => false,
    title: urlOf(''),
    reachable: storage.reachable,
    filesReadable: storage.filesReadable,
    directoryOf,
    realPathOf: (location) =>
      T.of(location === undefined ? urlOf('') : isKeyPrefix(location) ? urlOf(location) : undefined),
    check: flow(parseKeyPrefix, TE.fromEither),
    create: (location) =>
      pipe(
        TE.fromEither(parseKeyPrefix(location)),
        TE.flatMap((prefix) =>
          pipe(
            storage.createArea(prefix),
            TE.mapLeft(storeProblem(`cannot create ${directoryOf(prefix)}`, notCreatable)),
          ),
        ),
        TE.map(({ isNew }) => ({ directory: directoryOf(location), isNew, isMountPoint: false })),
      ),
    exists: (location) => pipe(storage.nodeAt({ owner: anyOwner, location }, StoragePath.root), T.map(E.isRight)),
    inspect: (account, onNode) => inspect(storage, account, directoryOf(account.location), onNode),
    put: ({ location }, path, text) =>
      pipe(
        storage.put(location, text === undefined ? `${path}/` : path, text ?? ''),
        TE.mapLeft(storeProblem(`cannot put ${path} into ${directoryOf(location)}`)),
      ),
    close: storage.close,
  }
  return { areas, storage }
}

const parseKeyPrefix = (location: Area.AreaLocation): E.Either<Problem, Area.AreaLocation> => {
  if (isKeyPrefix(location)) return E.right(location)
  if (location.startsWith('/'))
    return E.left(
      notCreatable(
        `"${location}" is a directory, but the storage is an object store`,
        "use a key prefix relative to the storage's prefix, such as team/photos",
      ),
    )
  const corrected = location.split('/').filter(Name.is).join('/')
  const rule = `with no empty, "." or ".." segments and at most ${Name.maxBytes} bytes per segment`
  return E.left(
    notCreatable(`invalid key prefix "${location}"`, `use one ${rule}, such as ${corrected || 'team/photos'}`),
  )
}

/** Prefixes the failure of the store, or of reading a location, with the task that failed. */
const storeProblem =
  (task: string, toProblem: ReturnType<typeof problem> = problem('external')) =>
  ({ cause }: Failure.External): Problem =>
    cause instanceof StoreFailed
      ? toProblem(`${task}: ${cause.reason}`, cause.hint)
      : toProblem(`${task}: ${reasonOf(cause)}`)

const maxDirectories = 3

async function* inspect(
  storage: S3Areas,
  account: Account,
  directory: string,
  onNode: () => boolean,
): ReturnType<AreaStore['inspect']> {
  if (!isKeyPrefix(account.location)) return yield directoryFinding(account)
  let isEmpty = true
  let invalidCount = 0
  const directories = new Set<StoragePath.StoragePath>()
  for await (const found of storage.inspect(account.location)) {
    isEmpty = false
    if (!onNode()) break
    if (found.is === 'no name') {
      invalidCount += 1
      if (directories.size < maxDirectories) directories.add(found.directory)
    } else if (isSecretName(StoragePath.name(found.path))) yield found.path
  }
  // An empty area still has its marker.
  if (isEmpty && E.isLeft(await storage.nodeAt(areaOf(account), StoragePath.root)()))
    yield missingPrefixFinding(account, directory)
  const ignoresCase = await storage.ignoresCase(account.location)()
  if (E.isLeft(ignoresCase)) throw ignoresCase.left.cause
  if (ignoresCase.right) yield ignoredCaseFinding(directory)
  if (invalidCount > 0) yield invalidKeysFinding(invalidCount, [...directories])
}

const directoryFinding = (account: Account): Finding => ({
  kind: 'missing area',
  message: `${account.location} is a directory, but the storage is an object store, so every request fails with the error \`external\`: run ${commandOn('account update', account, '--area PREFIX')} to give the account a key prefix`,
})

const missingPrefixFinding = (account: Account, prefix: string): Finding => ({
  kind: 'missing area',
  message: `no key begins with ${prefix}, so every request fails with the error \`external\`: run ${commandOn('account update', account, '--area', shellWord(account.location))} to create an empty area, or ${commandOn('account delete', account)}`,
})

/** Invalid are empty, `.` and `..` segments, and names that are too long or not UTF-8. */
const invalidKeysFinding = (count: number, directories: ReadonlyArray<StoragePath.StoragePath>): Finding => ({
  kind: 'invalid keys',
  message: `the area has ${withCount(count, 'key')} (in ${directories.join(', ')}) that ${count === 1 ? 'is not a valid path' : 'are not valid paths'}, so no client can see ${count === 1 ? 'the object: rename it' : 'the objects: rename them'} so that every segment is 1 to ${Name.maxBytes} bytes of UTF-8, and not "." or ".."`,
})

/** Canopy compares the bytes of names, so each lookup has to list the directories above. */
const ignoredCaseFinding = (directory: string): Finding => ({
  kind: 'case-insensitive names',
  message: `the store treats keys in ${directory} as case-insensitive, so requests are slow and \`canopy account create\` fails: move the data to a case-sensitive file system, or to another store`,
})
