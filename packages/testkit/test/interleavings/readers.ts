import {
  type Archive,
  Envelope,
  Failure,
  type File,
  fileOperations,
  type Name,
  StoragePath,
  Tree,
  type TreeNode,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { askInProcess } from '../../src/backends/Backend.js'
import type { Interleaved } from '../../src/interleavings/interleavings.js'
import type { NodeAsk } from '../../src/model.js'
import { type Answer, isLines } from '../../src/scenarios/Scenario.js'
import type { FilePorts, Ports } from '../../src/World.js'

type Reader = Pick<Interleaved, 'operation' | 'toExpected'>
type Program = RTE.ReaderTaskEither<Ports & FilePorts, Failure.Failure, string>

/** Reads as a program says where a tree is requested. */
const reading =
  (program: (ask: NodeAsk) => Program): Interleaved['operation'] =>
  (ports) =>
  async (ask) =>
    ask.operation.endsWith('Items') || isLines(ask)
      ? askInProcess(ports)(ask)
      : pipe(
          await program(ask)(ports)(),
          E.match(
            ({ error }): Answer => ({ error }),
            (body): Answer => ({ body }),
          ),
        )

const isLinesText = (body: string): boolean => body.endsWith('\n')

const nodeIn = (answer: Answer) => {
  const isJson = 'body' in answer && !isLinesText(answer.body)
  const { type, content } = isJson ? JSON.parse(answer.body) : { type: 'error', content: {} }
  return type === 'tree' ? content : undefined
}

const mismatch: Answer = { error: 'type mismatch' }

const fileText = ({ name, size, last_modified }: Pick<TreeNode.FileTreeNode, 'name' | 'size' | 'last_modified'>) =>
  JSON.stringify({
    type: 'tree',
    content: { type: 'file', name, size: Number(size), last_modified: Number(last_modified) },
  })

const openFile = ({
  operation,
  credential,
  path,
}: NodeAsk): RTE.ReaderTaskEither<Ports & FilePorts, Failure.Failure, File<Failure.OfAccess>> =>
  operation === 'storageTree'
    ? fileOperations.storageFile({ token: credential, path })
    : fileOperations.userContentFile({ user: credential, path })

/** Opens the requested file, and tells its name, size and time. */
export const filesAsked: Reader = {
  operation: reading((ask) =>
    pipe(
      openFile(ask),
      RTE.map(({ name, size, last_modified }) => fileText({ name, size: size as never, last_modified })),
    ),
  ),
  toExpected: (answer) => {
    const node = nodeIn(answer)
    if (node === undefined) return answer
    return node.type === 'dir' ? mismatch : { body: fileText(node) }
  },
}

type Open = (path: StoragePath.StoragePath) => TE.TaskEither<Failure.Failure, unknown>

/** Opens every file of a tree, and omits those that are gone. */
const openAll =
  (open: Open, path: StoragePath.StoragePath) =>
  async (node: TreeNode.TreeNode): Promise<E.Either<Failure.Failure, TreeNode.TreeNode | undefined>> => {
    if (node.type === 'file') {
      const opened = await open(path)()
      if (E.isRight(opened)) return E.right(node)
      return opened.left.error === 'file not found' ? E.right(undefined) : opened
    }
    const content: Array<TreeNode.TreeNode> = []
    for (const child of node.content ?? []) {
      const at = StoragePath.child(path, child.name as Name.Name)
      const read = await openAll(open, at._tag === 'Some' ? at.value : path)(child)
      if (E.isLeft(read)) return read
      if (read.right !== undefined) content.push(read.right)
    }
    return E.right(node.content === undefined ? node : { ...node, content })
  }

const openArchive = (
  { operation, credential, path }: NodeAsk,
  bounds: Tree.Bounds,
): RTE.ReaderTaskEither<Ports & FilePorts, Failure.Failure, Archive<Failure.OfAccess>> =>
  operation === 'storageTree'
    ? fileOperations.storageArchive({ token: credential, path }, bounds)
    : fileOperations.userContentArchive({ user: credential, path }, bounds)

const requested = (ask: NodeAsk): StoragePath.StoragePath => {
  const parsed = StoragePath.fromRaw(ask.path)
  return parsed._tag === 'Some' ? parsed.value.path : StoragePath.root
}

/** Opens each file below the requested directory, and tells the tree of those that are there. */
export const archivesAsked: Reader = {
  operation: reading((ask) =>
    pipe(
      RTE.fromEither(Tree.bounds({ depth: 'depth' in ask ? ask.depth : undefined })),
      RTE.mapLeft(Failure.external),
      RTE.flatMap(
        (bounds): RTE.ReaderTaskEither<Ports & FilePorts, Failure.Failure, string> =>
          pipe(
            openArchive(ask, bounds),
            RTE.flatMapTaskEither(
              ({ tree, open }): TE.TaskEither<Failure.Failure, string> =>
                pipe(
                  Tree.collect(tree),
                  TE.flatMap(
                    (node): TE.TaskEither<Failure.Failure, TreeNode.TreeNode | undefined> =>
                      () =>
                        openAll(open, requested(ask))(node),
                  ),
                  TE.map((node) => (node === undefined ? '' : Envelope.treeJson(node))),
                ),
            ),
          ),
      ),
    ),
  ),
  toExpected: (answer) => (nodeIn(answer)?.type === 'file' ? mismatch : answer),
}

const withPorts = (reader: Reader, change: (ports: Ports & FilePorts) => Partial<Ports & FilePorts>): Reader => ({
  ...reader,
  operation: (ports) => reader.operation({ ...ports, ...change(ports) }),
})

/** Returns the first answer each time. */
const once = <Args extends ReadonlyArray<unknown>, A>(port: (...args: Args) => () => Promise<A>) => {
  let first: Promise<A> | undefined
  return (...args: Args) =>
    () => {
      first ??= port(...args)()
      return first
    }
}

/** Readers that each break one rule, with the name of the law that detects it. */
export const brokenReaders: ReadonlyArray<readonly [broken: string, law: string, Reader]> = [
  [
    'reads the settings once, before it opens',
    'a public directory becomes private, and is filled',
    withPorts(filesAsked, ({ settingsOf }) => ({ settingsOf: once(settingsOf) })),
  ],
  [
    'reads the account once, before it opens',
    'an area is moved',
    withPorts(filesAsked, ({ areaOfUser }) => ({ areaOfUser: once(areaOfUser) })),
  ],
  [
    'opens files of an archive that are no longer shown',
    'nodes become hidden',
    withPorts(archivesAsked, ({ settingsOf }) => ({ settingsOf: once(settingsOf) })),
  ],
]
