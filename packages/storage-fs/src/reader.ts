// A process that reads directories (read/ReaderPool.ts), or files (read/FileProcesses.ts).
import { getPriority, setPriority } from 'node:os'
import { Failure, type OpenedFile } from '@canopy/domain'
import { timeSlices, yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { listDirectory } from './read/directory.js'
import { type Cancel, type Found, type ListQuestion, type Question, type Questions, replyOf } from './read/messages.js'
import { openEntry } from './read/openEntry.js'
import { storageReachable } from './resolve/areas.js'
import { PathResolver } from './resolve/PathResolver.js'
import type { StorageResult } from './StorageResult.js'

// On few processors, the process that answers requests goes first.
setPriority(Math.min(19, getPriority() + 5))

/** The working directory between batches: any other could not be deleted or unmounted. */
const home = '/'
process.chdir(home)

// The process ends together with its parent, not by a signal to the whole group: the parent may still need its answers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())

const cancelled = new Set<number>()

process.on('message', (message: Questions | Cancel) => {
  if ('cancelled' in message) cancelled.add(message.cancelled)
  else void answerAll(message)
})

/** Larger messages would delay the first of their answers. */
const sliceMs = 1

/** Answers questions in order. Sends the answers that are ready after each millisecond. */
const answerAll = async ({ root, questions }: Questions): Promise<void> => {
  cancelled.clear()
  const resolver = new PathResolver(root)
  let replies: Array<readonly [number, ReturnType<typeof replyOf>]> = []
  let sliceEnd = performance.now() + sliceMs
  for (const [number, question] of questions) {
    if (performance.now() > sliceEnd) {
      process.send?.(replies)
      replies = []
      await yieldToEventLoop()
      sliceEnd = performance.now() + sliceMs
    }
    const answer = cancelled.has(number) ? Promise.reject(clientLeft) : answerTo(resolver, root, number, question)
    replies.push([number, replyOf(await answer.catch((thrown) => E.left(Failure.external(thrown))))])
  }
  process.chdir(home)
  process.send?.(replies)
}

/** Enters a directory, because looking up its entries from there takes half the time of a path through `/proc`. */
const enter = (fdPath: string): string => {
  try {
    process.chdir(fdPath)
    return '.'
  } catch {
    // The directory may be read but not searched.
    return fdPath
  }
}

const clientLeft = new Error('the client disconnected before the directory was read')

/** The open files, by the number of the question that opened them. */
const files = new Map<number, OpenedFile>()

const notOpen = E.left(Failure.external(new Error('the file is not open')))

const answerTo = async (
  resolver: PathResolver,
  root: Questions['root'],
  number: number,
  question: Question,
): Promise<StorageResult<Found>> => {
  switch (question.ask) {
    case 'reachable':
      return E.map(() => null)(await storageReachable(root)())
    case 'nodeAt':
      return resolver.nodeAt(question.area, question.path)
    case 'list':
      return list(resolver, number, question)
    case 'open': {
      const opened = await resolver.useEntry(question.area, question.path, openEntry)
      if (E.isLeft(opened)) return opened
      files.set(number, opened.right)
      const { size, last_modified, version } = opened.right
      return E.right({ size, last_modified, version })
    }
    case 'read': {
      for await (const chunk of files.get(question.file)?.bytes(question.start, question.end) ?? [])
        return E.right(chunk)
      return notOpen
    }
    case 'close':
      await files.get(question.file)?.close()
      files.delete(question.file)
      return E.right(null)
  }
}

const list = (
  resolver: PathResolver,
  number: number,
  { area, path, isSnapshot }: ListQuestion,
): Promise<StorageResult<Found>> => {
  const yieldAtEnd = timeSlices()
  const pause = async (): Promise<void> => {
    await yieldAtEnd()
    if (cancelled.has(number)) throw clientLeft
  }
  return resolver.readDirectory(area, path, (fdPath) => listDirectory(enter(fdPath), { isSnapshot, pause }))
}
