import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Failure from '../src/Failure.js'
import type { Archive, File } from '../src/File.js'
import * as StoragePath from '../src/StoragePath.js'
import type { Child, Directory } from '../src/Tree.js'
import { path as pathOf } from './support.js'

/** Enough for the small files of tests; generated worlds have files of up to 2^64 bytes. */
const maxBytes = 10_000n

export const readFile =
  <F extends Failure.OfAccess>(file: File<F>) =>
  async () => {
    const { name, opened } = file
    const { size, last_modified, version } = opened
    const chunks: Array<Uint8Array> = []
    for await (const chunk of opened.bytes(0n, size < maxBytes ? size : maxBytes)) chunks.push(chunk)
    await opened.close()
    return E.right({ name, size, last_modified, version, text: Buffer.concat(chunks).toString('latin1') })
  }

type Read = E.Either<Failure.Failure, ReadonlyArray<string>>

export const readArchive =
  (raw: string) =>
  <F extends Failure.OfAccess>({ tree, open }: Archive<F>) => {
    const requested = StoragePath.fromRaw(raw)
    const readChild = async (child: Child, path: StoragePath.StoragePath): Promise<Read> => {
      if (child.type === 'dir') return readDirectory(child, path)
      const file = await pipe(open(path), TE.flatMap(readFile))()
      if (E.isRight(file)) return E.right([`${path} ${file.right.text}`])
      return file.left.error === 'file not found' ? E.right([]) : file
    }
    const readDirectory = async (directory: Directory, path: StoragePath.StoragePath): Promise<Read> => {
      const expansion = await directory.children()
      if (E.isLeft(expansion)) return expansion
      if (expansion.right.is === 'vanished') return E.right([])
      if (expansion.right.is !== 'listed') return E.left(Failure.external('not expanded'))
      const found = [`${path} dir`]
      for (const child of expansion.right.children) {
        if (child === undefined) continue
        const read = await readChild(child, pathOf(`${path === '/' ? '' : path}/${child.name}`))
        if (E.isLeft(read)) return read
        found.push(...read.right)
      }
      return E.right(found)
    }
    return () => readDirectory(tree, O.isSome(requested) ? requested.value.path : StoragePath.root)
  }
