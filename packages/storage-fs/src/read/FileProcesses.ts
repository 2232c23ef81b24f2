import { type Area, Failure, type OpenedFile, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { asExternal, type StorageResult } from '../StorageResult.js'
import type { StorageRoot } from '../StorageRoot.js'
import { answerOf, type FileFacts, type Found } from './messages.js'
import { type Chunk, openedFile } from './openedFile.js'
import { maxReadMs, type ReaderOptions, ReaderProcess, type SentQuestion } from './ReaderProcess.js'

const maxProcesses = 2

const allHang = Failure.external(
  new Error('the mount is not responding, and the processes reading its files are stuck'),
)

/**
 * Opens and reads the files of one network or FUSE mount in child processes. No thread of this process waits for the mount.
 * Other processes read its directories, because killing one that hangs would fail its open files.
 */
export class FileProcesses {
  readonly #root: StorageRoot
  readonly #options: ReaderOptions
  /** Includes killed processes until they exit: one that waits for its mount inside the kernel cannot. */
  readonly #processes = new Set<ReaderProcess>()

  constructor(root: StorageRoot, { maxMs = maxReadMs, idleMs = 60_000 }: Partial<ReaderOptions> = {}) {
    this.#root = root
    this.#options = { maxMs, idleMs }
  }

  async openFile(area: Area.Area, path: StoragePath.StoragePath): Promise<StorageResult<OpenedFile>> {
    const reader = this.#leastBusy()
    if (reader === undefined) return E.left(allHang)
    reader.openFiles += 1
    const { number: file, reply } = reader.ask({ ask: 'open', area, path })
    const opened = await answerTo<FileFacts>(reply)
    if (E.isLeft(opened)) {
      reader.openFiles -= 1
      return opened
    }
    const read = async (start: bigint, end: bigint): Promise<Chunk> =>
      E.mapLeft(asExternal)(await answerTo<Uint8Array>(reader.ask({ ask: 'read', file, start, end }).reply))
    const release = (): void => {
      reader.openFiles -= 1
      void answerTo(reader.ask({ ask: 'close', file }).reply)
    }
    return E.right(openedFile(opened.right, read, release))
  }

  #leastBusy(): ReaderProcess | undefined {
    const [first] = [...this.#processes]
      .filter(({ isUsable }) => isUsable)
      .sort((one, other) => one.openFiles - other.openFiles)
    if (first?.openFiles === 0 || this.#processes.size >= maxProcesses) return first
    const started = new ReaderProcess(this.#root, this.#options, () => this.#processes.delete(started))
    this.#processes.add(started)
    return started
  }
}

const answerTo = async <A extends Found>(reply: SentQuestion['reply']): Promise<StorageResult<A>> => {
  try {
    return answerOf(await reply) as StorageResult<A>
  } catch (cause) {
    return E.left(Failure.external(cause))
  }
}
