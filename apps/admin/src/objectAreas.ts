import { type Area, Failure, Name, StoragePath } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import type { AreaNotCreatable } from '@canopy/storage-fs/admin'
import type { S3Url } from '@canopy/storage-s3'
import { isKeyPrefix, type S3Areas, s3Areas } from '@canopy/storage-s3/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AreaStore, NewNode } from './AreaStore.js'
import { areaOf } from './areas.js'
import { external, failed, type Problem } from './Command.js'
import * as findings from './findings.js'
import { isSecretName } from './secretNames.js'

const notCreatable = (reason: string, suggestion?: string): AreaNotCreatable => ({
  error: 'area not creatable',
  reason,
  suggestion,
})

/** `left` says what to write. */
const keyPrefix = (location: Area.AreaLocation): E.Either<AreaNotCreatable, Area.AreaLocation> => {
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

/** Areas that are key prefixes of an object store, and the ports over them. */
export const objectAreas = async (
  url: S3Url.S3Url,
): Promise<{ readonly areas: AreaStore; readonly storage: S3Areas }> => {
  const storage = await s3Areas(url)
  const bucket = `s3://${url.bucket}`
  const placeOf = (location: string): string => `${bucket}/${url.prefix}${location}`.replace(/\/$/, '')
  const directoryOf: AreaStore['directoryOf'] = (location) =>
    isKeyPrefix(location) ? `${placeOf(location)}/` : location

  const create: AreaStore['create'] = (location) =>
    pipe(
      TE.fromEither(keyPrefix(location)),
      TE.flatMap((prefix) =>
        pipe(
          storage.createArea(prefix),
          TE.mapLeft(({ cause }) => notCreatable(`${directoryOf(prefix)} cannot be made: ${causeOf(cause)}`)),
        ),
      ),
      TE.map(({ isNew }) => ({ directory: directoryOf(location), isNew, isMountPoint: false })),
    )

  const has: AreaStore['has'] = (account) => pipe(storage.nodeAt(areaOf(account), StoragePath.root), T.map(E.isRight))

  const inspect: AreaStore['inspect'] = async function* (account, onNode) {
    if (!isKeyPrefix(account.location)) return yield findings.ofFileStorage(account)
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
    if (isEmpty && !(await has(account)())) yield findings.noKeys(account, directoryOf(account.location))
    if (nameless > 0) yield findings.nameless(account, nameless, [...around])
  }

  const putMissing = (account: Account, [path, text]: NewNode): TE.TaskEither<Failure.External, unknown> =>
    pipe(
      StoragePath.fromString(path),
      O.match(
        () => TE.left(Failure.external(new Error(`${path} is no path`))),
        (at) => storage.nodeAt(areaOf(account), at),
      ),
      TE.orElse(
        (failure): TE.TaskEither<Failure.External, unknown> =>
          failure.error === 'external'
            ? TE.left(failure)
            : storage.put(account.location, text === undefined ? `${path}/` : path, text ?? ''),
      ),
    )

  const fill: AreaStore['fill'] = (account, nodes) =>
    pipe(
      create(account.location),
      TE.mapLeft(({ error, reason, suggestion }): Problem => failed(error)(reason, suggestion)),
      TE.flatMap(() =>
        pipe(
          nodes,
          TE.traverseSeqArray((node) =>
            pipe(
              putMissing(account, node),
              TE.mapLeft(({ cause }) => external(`cannot fill ${directoryOf(account.location)}`)(cause)),
            ),
          ),
        ),
      ),
      TE.asUnit,
    )

  return {
    areas: {
      areaIs: 'key prefix',
      title: placeOf(''),
      reachable: pipe(
        storage.reachable,
        TE.mapLeft(({ cause }) => `no server is ready without it: ${causeOf(cause)}`),
      ),
      readable: TE.right(undefined),
      directoryOf,
      placeOf: (location) =>
        T.of(location === undefined ? placeOf('') : isKeyPrefix(location) ? placeOf(location) : undefined),
      create,
      names: pipe(
        storage.names,
        TE.mapLeft(({ cause }) => external('cannot read the storage')(cause)),
      ),
      inspect,
      has,
      fill,
      close: storage.close,
    },
    storage,
  }
}
