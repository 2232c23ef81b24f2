import { type Area, Failure, type OpenedFile, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type { StorageResult } from '../StorageResult.js'
import type { StorageRoot } from '../StorageRoot.js'
import type { FileFacts } from './messages.js'
import { type Chunk, openedFile } from './openedFile.js'
import { allHang, type ReaderOptions, ReaderProcess } from './ReaderProcess.js'

const maxProcesses = 2

/**
 * Opens and reads the files of one network or FUSE mount in child processes. No thread of this process waits for the mount.
 * Other processes read its directories, because killing one that hangs would fail its open files.
 */
export class FileProcesses {
  readonly #root: StorageRoot
  readonly #options: ReaderOptions
  readonly #processes = new Set<ReaderProcess>()

  constructor(root: StorageRoot, options: ReaderOptions = {}) {
    this.#root = root
    this.#options = options
  }

  async openFile(area: Area.Area, path: StoragePath.StoragePath): Promise<StorageResult<OpenedFile>> {
    const found = this.#leastBusy()
    if (E.isLeft(found)) return found
    const reader = found.right
    const { number: file, answer } = reader.ask<FileFacts>({ ask: 'open', area, path })
    reader.openFiles.add(file)
    const opened = await answer.catch(failed)
    if (E.isLeft(opened)) reader.openFiles.delete(file)
    const read = (start: bigint, end: bigint): Promise<Chunk> =>
      reader.ask<Uint8Array>({ ask: 'read', file, start, end }).answer.catch(failed)
    const close = async (): Promise<void> => {
      if (reader.openFiles.delete(file)) reader.ask({ ask: 'close', file }).answer.catch(failed)
    }
    return E.map((facts: FileFacts) => openedFile(facts, read, close))(opened)
  }

  #leastBusy(): E.Either<Failure.External, ReaderProcess> {
    const [first] = [...this.#processes]
      .filter(({ isUsable }) => isUsable)
      .sort((one, other) => one.openFiles.size - other.openFiles.size)
    if (first?.openFiles.size === 0 || this.#processes.size >= maxProcesses) return E.fromNullable(allHang)(first)
    return E.tryCatch(() => new ReaderProcess(this.#root, this.#options, this.#processes), Failure.external)
  }
}

const failed = (cause: unknown): E.Either<Failure.External, never> => E.left(Failure.external(cause))
