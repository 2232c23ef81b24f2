import type { OpenedFile } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type { PortResult } from '../ports.js'

/** Closes the file of a call of `openFile` with its request at the latest, also if the file comes after the time limit. */
export const closedWithRequest =
  (signal: AbortSignal, open: PortResult): PortResult =>
  async () => {
    const opened = await open()
    if (E.isLeft(opened)) return opened
    // The result of `openFile`.
    const file = opened.right as OpenedFile
    const close = async (): Promise<void> => {
      signal.removeEventListener('abort', close)
      await file.close()
    }
    if (signal.aborted) await close()
    else signal.addEventListener('abort', close)
    const { size, last_modified, version } = file
    return E.right({ size, last_modified, version, bytes: file.bytes.bind(file), close } satisfies OpenedFile)
  }
