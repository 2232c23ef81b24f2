import { Area, Failure, Name, StoragePath } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import type { AreaNotCreatable } from '@canopy/storage-fs/admin'
import { type S3Storage, S3Url, s3Storage } from '@canopy/storage-s3'
import { s3Areas } from '@canopy/storage-s3/admin'
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

/** Of an account that was made over file storage, elsewhere than in its root. */
const isDirectory = (location: Area.AreaLocation): boolean => location.startsWith('/')

const notCreatable = (reason: string): AreaNotCreatable => ({ error: 'area not creatable', reason })

/** A location that is a key prefix below the storage's; `left` says what to write. */
const keyPrefix = (location: Area.AreaLocation): E.Either<AreaNotCreatable, Area.AreaLocation> => {
  const segments = location.split('/')
  if (segments.every(Name.is)) return E.right(location)
  if (isDirectory(location))
    return E.left(
      notCreatable(
        `"${location}" is a directory, and the storage is an object store: name a key prefix below the storage's, such as team/photos`,
      ),
    )
  const proper = segments.filter(Name.is).join('/')
  const rule = `without empty, "." and ".." segments, each of at most ${Name.maxBytes} bytes`
  return E.left(notCreatable(`"${location}" is no key prefix: write it ${rule}, such as ${proper || 'team/photos'}`))
}

/** The node of a path and those above it that have the name of a secret: no key need end in a directory's own name. */
const secretsOn = (path: StoragePath.StoragePath): ReadonlyArray<StoragePath.StoragePath> =>
  StoragePath.upwards(path).filter((each) => isSecretName(StoragePath.name(each)))

/** The most keys that a finding shows. */
const shown = 3

/** Areas that are key prefixes of an object store, and the ports over them. */
export const objectAreas = async (
  url: S3Url.S3Url,
): Promise<{ readonly areas: AreaStore; readonly storage: S3Storage }> => {
  const [storage, store] = await Promise.all([s3Storage(url), s3Areas(url)])
  const bucket = `s3://${url.bucket}`
  const placeOf = (location: string): string => `${bucket}/${url.prefix}${location}`.replace(/\/$/, '')
  const directoryOf: AreaStore['directoryOf'] = (location) =>
    isDirectory(location) ? location : `${placeOf(location)}/`

  const create: AreaStore['create'] = (location) =>
    pipe(
      TE.fromEither(keyPrefix(location)),
      TE.flatMap((prefix) =>
        pipe(
          store.createArea(prefix),
          TE.mapLeft(({ cause }) => notCreatable(`${directoryOf(prefix)} cannot be made: ${causeOf(cause)}`)),
        ),
      ),
      TE.map(({ isNew }) => ({ directory: directoryOf(location), isNew, isMountPoint: false })),
    )

  const inspect: AreaStore['inspect'] = async function* (account) {
    if (isDirectory(account.location)) return yield findings.ofFileStorage(account)
    const secrets = new Set<StoragePath.StoragePath>()
    const examples: Array<string> = []
    let keys = 0
    let nameless = 0
    for await (const { key, names, path } of store.inspect(account.location)) {
      keys += 1
      if (names !== undefined) nameless += 1
      if (names !== undefined && examples.length < shown) examples.push(`${key} (${names})`)
      const found = path === undefined ? [] : secretsOn(path).filter((secret) => !secrets.has(secret))
      for (const secret of found) secrets.add(secret)
      yield* found
    }
    if (keys === 0) yield findings.noKeys(account, directoryOf(account.location))
    if (nameless > 0) yield findings.nameless(account, nameless, examples)
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
            : store.put(`${account.location}${path}${text === undefined ? '/' : ''}`, text ?? ''),
      ),
    )

  const fill: AreaStore['fill'] = (account, nodes) =>
    pipe(
      create(account.location),
      TE.mapLeft(({ error, reason }): Problem => failed(error)(reason)),
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
      title: S3Url.toText(url),
      reachable: pipe(
        storage.reachable,
        TE.mapLeft(({ cause }) => `no server is ready without it: ${causeOf(cause)}`),
      ),
      readable: TE.right(undefined),
      directoryOf,
      placeOf: (location = Area.location('')) => T.of(isDirectory(location) ? undefined : placeOf(location)),
      create,
      names: pipe(
        store.names,
        TE.mapLeft(({ cause }) => external(`cannot read the storage ${placeOf('')}`)(cause)),
      ),
      inspect,
      has: (account) => pipe(storage.nodeAt(areaOf(account), StoragePath.root), T.map(E.isRight)),
      fill,
      close: () => {
        storage.close()
        store.close()
      },
    },
    storage,
  }
}
