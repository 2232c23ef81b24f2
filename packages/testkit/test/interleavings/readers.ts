import { Envelope, type Failure, fileOperations, type StoragePath, Tree, type TreeNode } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { askInProcess } from '../../src/backends/Backend.js'
import type { Interleaved } from '../../src/interleavings/interleavings.js'
import { type Answer, isLines, type TreeAsk } from '../../src/scenarios/Scenario.js'
import type { FilePorts, Ports } from '../../src/World.js'

type Reader = Pick<Interleaved, 'operation' | 'toExpected'>
type AllPorts = Ports & FilePorts
type Read<A> = Promise<E.Either<Failure.Failure, A>>

/** Reads files where a nested tree is requested. */
const reading =
  (read: (ports: AllPorts, ask: TreeAsk) => Read<string>): Interleaved['operation'] =>
  (ports) =>
  async (ask) => {
    if ((ask.operation !== 'storageTree' && ask.operation !== 'userContentTree') || isLines(ask))
      return askInProcess(ports)(ask)
    const body = await read(ports, ask)
    return E.isRight(body) ? { body: body.right } : { error: body.left.error }
  }

const nodeIn = (answer: Answer) => {
  const isJson = 'body' in answer && !answer.body.endsWith('\n')
  const { type, content } = isJson ? JSON.parse(answer.body) : { type: 'error', content: undefined }
  return type === 'tree' ? content : undefined
}

const mismatch: Answer = { error: 'type mismatch' }

interface FileFields {
  readonly name: string
  readonly size: bigint
  readonly last_modified: bigint
}

const fileText = ({ name, size, last_modified }: FileFields) =>
  JSON.stringify({
    type: 'tree',
    content: { type: 'file', name, size: Number(size), last_modified: Number(last_modified) },
  })

/** Opens the requested file, and returns its name, size and time. */
export const filesAsked: Reader = {
  operation: reading(async (ports, { operation, credential, path }) => {
    const file =
      operation === 'storageTree'
        ? await fileOperations.storageFile({ token: credential, path })(ports)()
        : await fileOperations.userContentFile({ user: credential, path })(ports)()
    return E.isRight(file) ? E.right(fileText({ ...file.right.opened, name: file.right.name })) : file
  }),
  toExpected: (answer) => {
    const node = nodeIn(answer)
    if (node === undefined) return answer
    return node.type === 'dir' ? mismatch : { body: fileText(node) }
  },
}

type Open = (path: StoragePath.StoragePath) => TE.TaskEither<Failure.Failure, unknown>

/** Opens every file of a tree. Omits a file that has vanished. */
const openAll = async (open: Open, path: string, node: TreeNode.TreeNode): Read<TreeNode.TreeNode | undefined> => {
  if (node.type === 'file') {
    const opened = await open(path as StoragePath.StoragePath)()
    if (E.isRight(opened)) return E.right(node)
    return opened.left.error === 'file not found' ? E.right(undefined) : opened
  }
  if (node.content === undefined) return E.right(node)
  const content: Array<TreeNode.TreeNode> = []
  for (const child of node.content) {
    const read = await openAll(open, `${path}/${child.name}`, child)
    if (E.isLeft(read)) return read
    if (read.right !== undefined) content.push(read.right)
  }
  return E.right({ ...node, content })
}

/** Opens each file below the requested directory, and returns the tree without files that have vanished. */
export const archivesAsked: Reader = {
  operation: reading(async (ports, { operation, credential, path, depth }) => {
    const bounds = E.getOrElse(() => Tree.unbounded)(Tree.bounds({ depth }))
    const archive =
      operation === 'storageTree'
        ? await fileOperations.storageArchive({ token: credential, path }, bounds)(ports)()
        : await fileOperations.userContentArchive({ user: credential, path }, bounds)(ports)()
    if (E.isLeft(archive)) return archive
    const tree = await Tree.collect(archive.right.tree)()
    if (E.isLeft(tree)) return tree
    const opened = await openAll(archive.right.open, path.replace(/\/$/, ''), tree.right)
    return E.isRight(opened) ? E.right(opened.right === undefined ? '' : Envelope.treeJson(opened.right)) : opened
  }),
  toExpected: (answer) => (nodeIn(answer)?.type === 'file' ? mismatch : answer),
}
