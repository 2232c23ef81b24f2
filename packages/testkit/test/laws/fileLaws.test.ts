import { Area, Failure, type OpenedFile, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { fileLaws, type SeedFiles } from '../../src/laws/fileLaws.js'
import { memoryStorage } from '../../src/memoryPorts.js'
import { type FilePorts, textFile, type WorldFile, type WorldNode } from '../../src/World.js'
import { type BrokenBy, misjudged } from './misjudged.js'

type Break = (ports: FilePorts, now: () => ReadonlyArray<WorldNode> | 'missing') => FilePorts

/** The reference port, which fulfils every law unless it is broken. */
const seedBroken =
  (broken: Break = (ports) => ports): SeedFiles =>
  async (nodes) => {
    let now = nodes
    const change = (path: string, text: (old: string) => string) => {
      if (now === 'missing') return
      now = now.map((node) =>
        `/${node.name}` === path && node.type === 'file' ? textFile(node.name, text(node.text ?? '')) : node,
      )
    }
    return {
      ports: broken(
        memoryStorage(() => now),
        () => now,
      ),
      area: { owner: 1n as UserId.UserId, location: Area.location('here') },
      close: async () => undefined,
      replace: async (path, text) => change(path, () => text),
      append: async (path, text) => change(path, (old) => old + text),
      truncate: async (path, size) => change(path, (old) => old.slice(0, size)),
      remove: async (path) => {
        if (now !== 'missing') now = now.filter(({ name }) => `/${name}` !== path)
      },
    }
  }

interface Opening {
  readonly path: string
  readonly again: ReturnType<FilePorts['openFile']>
  readonly now: () => ReadonlyArray<WorldNode> | 'missing'
}

const opened =
  (change: (opened: OpenedFile, opening: Opening) => OpenedFile): Break =>
  (ports, now) => ({
    openFile: (area, path) => {
      const again = ports.openFile(area, path)
      return TE.map((file: OpenedFile) => change(file, { path, again, now }))(again)
    },
  })

const bytes = (read: (opened: OpenedFile) => OpenedFile['bytes']) => opened((file) => ({ ...file, bytes: read(file) }))

const failures =
  (instead: (failure: Failure.OfStorage, path: string) => Failure.OfStorage): Break =>
  (ports) => ({
    openFile: (area, path) =>
      pipe(
        ports.openFile(area, path),
        TE.mapLeft((failure) => instead(failure, path)),
      ),
  })

/** Reads the file that has the name when each chunk is read; `chunkOf` of its text. */
const byName = (chunkOf: (text: string, start: number, end: number) => Buffer | undefined): Break =>
  opened((file, { path, now }) => ({
    ...file,
    bytes: async function* (start, end) {
      for (let at = Number(start); at < end; at += 1_000) {
        const nodes = now()
        const found = nodes === 'missing' ? undefined : nodes.find(({ name }) => `/${name}` === path)
        const chunk = chunkOf((found as WorldFile | undefined)?.text ?? '', at, Math.min(at + 1_000, Number(end)))
        if (chunk === undefined) return
        yield chunk
      }
    },
  }))

const textOf = (text: string, start: number, end: number) => {
  const chunk = Buffer.from(text).subarray(start, end)
  return chunk.length === 0 ? undefined : chunk
}

/** One buffer and one file for all readers. */
const shared = (): Break => {
  let last: OpenedFile | undefined
  return opened((file) => {
    last = file
    return { ...file, bytes: (start, end) => (last ?? file).bytes(start, end) }
  })
}

const broken: BrokenBy<Break> = {
  'an open file has its size and its bytes': [
    opened((file) => ({ ...file, size: ((file.size + 511n) / 512n) * 512n })),
    bytes((file) => (start, end) => file.bytes(start, end > start ? end - 1n : end)),
  ],
  'a range has the bytes from its start up to its end': [
    bytes((file) => (start, end) => file.bytes(start, end < file.size ? end + 1n : end)),
    bytes((file) => (_, end) => file.bytes(0n, end)),
  ],
  'only files open': [
    failures((failure, path) => (path === '/d' ? Failure.fileNotFound : failure)),
    // Follows links.
    (ports) => ({
      openFile: (area, path) => ports.openFile(area, path === '/link' ? ('/small' as typeof path) : path),
    }),
  ],
  'an area without a root is `external`': failures((failure) =>
    failure.error === 'external' ? Failure.fileNotFound : failure,
  ),
  'files that are read at once do not mix': shared(),
  'the version of a file is that of its bytes': [
    opened((file) => ({ ...file, version: `${file.size}` })),
    opened((file) => ({ ...file, version: `${file.version}${Math.random()}` })),
    opened((file) => ({ ...file, version: `"${file.version}"` })),
  ],
  'a file that is replaced while it is read never mixes with the new one': byName(textOf),
  'a file that is cut while it is read is never padded': [
    byName((text, start, end) => textOf(text, start, end) ?? Buffer.alloc(end - start)),
    byName(textOf),
  ],
  'a file that grows while it is read keeps its size': opened((file, { again }) => ({
    ...file,
    bytes: async function* (start, end) {
      yield* file.bytes(start, end)
      const grown = await again()
      if (E.isRight(grown)) yield* grown.right.bytes(end, grown.right.size)
    },
  })),
  'a file that is removed while it is read gives its bytes, or fails': byName(textOf),
  'a reading ends when its file is closed': bytes(
    (file) =>
      async function* (start, end) {
        const chunks: Array<Uint8Array> = []
        for await (const chunk of file.bytes(start, end)) chunks.push(chunk)
        yield* chunks
      },
  ),
  'a closed file gives no bytes, and may be closed again': [
    opened((file) => ({ ...file, close: async () => undefined })),
    opened((file) => {
      const closes = [file.close, () => Promise.reject(new Error('EBADF'))]
      return { ...file, close: () => (closes.shift() ?? file.close)() }
    }),
  ],
}

it.each(fileLaws)('passes the reference and fails each broken port: $name', async (law) => {
  expect(await misjudged(law, seedBroken, broken)).toEqual([])
})
