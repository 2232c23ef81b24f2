// A storage of tar archives: CANOPY_STORAGE=module:/path/tarStorage.mjs?directory=/srv/archives
import { createReadStream } from 'node:fs'
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { Failure, Name, StoragePath, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { extract } from 'tar-stream'

const types = { file: 'file', directory: 'dir' }

/** Returns the nodes of an archive by path. The last entry of a path wins, as when tar extracts it. */
const readArchive = async (file) => {
  const nodes = new Map([[StoragePath.root, { type: 'dir', last_modified: U64.zero }]])
  const entries = extract()
  pipeline(createReadStream(file), entries, () => undefined)
  for await (const entry of entries) {
    const { name, type, size, mtime } = entry.header
    const path = O.toUndefined(StoragePath.fromString(`/${name.replace(/^(\.?\/)+|\/$/g, '')}`))
    const last_modified = U64.clamp(BigInt(Math.floor(mtime.getTime() / 1000)))
    if (path !== undefined && path !== StoragePath.root) {
      if (types[type] === 'file') nodes.set(path, { type: 'file', size: U64.clamp(BigInt(size)), last_modified })
      else if (types[type] === 'dir') nodes.set(path, { type: 'dir', last_modified })
      else nodes.delete(path)
    }
    entry.resume()
  }
  return nodes
}

const find = (path) => (nodes) => {
  const node = nodes.get(path)
  if (node !== undefined) return E.right(node)
  const isBelowFile = StoragePath.upwards(path).some((above) => nodes.get(above)?.type === 'file')
  return E.left(isBelowFile ? Failure.typeMismatch : Failure.fileNotFound)
}

const listingOf = (directory) => (nodes) => ({
  entries: [...nodes]
    .filter(([path]) => O.toUndefined(StoragePath.parent(path)) === directory)
    .map(([path, node]) => ({ ...node, name: StoragePath.name(path) }))
    .sort((one, other) => Name.byBytes.compare(one.name, other.name)),
  unlistable: 0,
})

/** Two blocks of zeros end an archive. */
const emptyArchive = Buffer.alloc(1024)

/** The location of an area is the name of its archive. */
export default async (url) => {
  const directory = new URL(url).searchParams.get('directory')
  if (directory === null) throw new Error('the URL needs ?directory=')
  const attempt = (run) => TE.tryCatch(run, (thrown) => Failure.external(thrown))
  const read = ({ location }) => attempt(() => readArchive(join(directory, location)))
  return {
    nodeAt: (area, path) => pipe(read(area), TE.flatMapEither(find(path))),
    list: (area, path) =>
      pipe(
        read(area),
        TE.flatMapEither((nodes) =>
          pipe(
            find(path)(nodes),
            E.flatMap((node) => (node.type === 'dir' ? E.right(listingOf(path)(nodes)) : E.left(Failure.typeMismatch))),
          ),
        ),
      ),
    reachable: attempt(() => access(directory)),
    createArea: (location) =>
      attempt(() =>
        writeFile(join(directory, location), emptyArchive, { flag: 'wx' }).then(
          () => ({ isNew: true }),
          (thrown) => (thrown.code === 'EEXIST' ? { isNew: false } : Promise.reject(thrown)),
        ),
      ),
    close: () => undefined,
  }
}
