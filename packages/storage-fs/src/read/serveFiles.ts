import { Failure, type OpenedFile } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { DirectReader } from './DirectReader.js'
import type { FileMessage, FileReply } from './FileProcesses.js'
import { plain } from './PlainFailure.js'

/** The open files of this process, by the number of the message that opened them. */
const files = new Map<number, OpenedFile>()

const notOpen: FileReply['reply'] = E.left(plain(Failure.external(new Error('the file is not open'))))

const replyTo = async ({ number, question }: FileMessage): Promise<FileReply['reply']> => {
  if (question.ask === 'open') {
    const opened = await new DirectReader(question.root).openFile(question.area, question.path)
    if (E.isLeft(opened)) return E.left(plain(opened.left))
    files.set(number, opened.right)
    const { size, last_modified, version } = opened.right
    return E.right({ size, last_modified, version })
  }
  const file = files.get(question.file)
  if (question.ask === 'read') {
    for await (const chunk of file?.bytes(question.start, question.end) ?? []) return E.mapLeft(plain)(chunk)
    return notOpen
  }
  files.delete(question.file)
  await file?.close()
  return E.right(null)
}

/** Opens and reads files for the parent process: see FileProcesses.ts. Ends with it. */
export const serveFiles = (): void => {
  process.on('message', (message: FileMessage) => {
    void replyTo(message).then((reply) => process.send?.({ number: message.number, reply } satisfies FileReply))
  })
  process.on('disconnect', () => process.exit())
}
