import {
  type Failure,
  Items,
  type ListEnv,
  type NodeAtEnv,
  operations,
  Tree,
  type TreeNode,
  wholeListing,
} from '@canopy/domain'
import { openRegistry, type Registry, RegistryUrl } from '@canopy/registry'
import { fsStorage, StorageRoot } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { type Canopy, freshCanopy } from './canopyIn.js'

type Ports = Registry & NodeAtEnv & ListEnv

const right = <L, A>(given: E.Either<L, A>): A => {
  if (E.isLeft(given)) throw new Error(`the test itself is wrong: ${String(given.left)}`)
  return given.right
}

/** What a server on this data answers. */
const serving = async <A>(
  { directory }: Canopy,
  ask: (ports: Ports) => TE.TaskEither<Failure.Failure, A>,
): Promise<E.Either<Failure.FailureName, A>> => {
  const registry = right(await openRegistry(right(RegistryUrl.fromString(directory, 'sqlite:data/registry.sqlite')))())
  const storage = fsStorage(right(StorageRoot.fromText(directory)('file:data/areas')))
  const answer = await ask({ ...registry, ...storage })()
  await registry.close()
  return pipe(
    answer,
    E.mapLeft(({ error }) => error),
  )
}

const pathsOf = (node: TreeNode.TreeNode, above = ''): ReadonlyArray<string> => [
  `${above}${node.name} ${node.visibility.visibility}${node.visibility.inherited ? ' inherited' : ''}`,
  ...(node.type === 'dir' ? (node.content ?? []).flatMap((child) => pathsOf(child, `${above}${node.name}/`)) : []),
]

describe('the demo, served', () => {
  it('shows the three visibilities, own and inherited, to owner and visitor', async () => {
    const canopy = await freshCanopy()
    const { token, trigger } = (await canopy.json('demo')) as { token: string; trigger: { id: string } }
    const lines = TE.flatMapTask((tree: Tree.Tree) => pipe(Tree.collect(tree), T.map(pathsOf)))
    const visitor = (path: string) =>
      serving(canopy, (env) => pipe(operations.userContentTree({ user: '1', path }, Tree.unbounded)(env), lines))

    expect(
      await serving(canopy, (env) => pipe(operations.storageTree({ token, path: '' }, Tree.unbounded)(env), lines)),
    ).toEqual(
      E.right([
        ' public',
        '/diary private',
        '/diary/monday.txt private inherited',
        '/photos public inherited',
        '/photos/beach.txt public inherited',
        '/photos/drafts hidden',
        '/photos/drafts/old hidden inherited',
        '/photos/drafts/old/first.txt hidden inherited',
        '/photos/drafts/press public',
        '/photos/drafts/press/release.txt public inherited',
        '/photos/drafts/sketch.txt hidden inherited',
        '/photos/drafts/surprise.txt hidden',
        '/welcome.txt public inherited',
      ]),
    )
    expect(await visitor('')).toEqual(
      E.right([
        ' public',
        '/photos public inherited',
        '/photos/beach.txt public inherited',
        '/welcome.txt public inherited',
      ]),
    )
    expect(await visitor('/photos/drafts')).toEqual(
      E.right([
        'drafts hidden',
        'drafts/old hidden inherited',
        'drafts/old/first.txt hidden inherited',
        'drafts/press public',
        'drafts/press/release.txt public inherited',
        'drafts/sketch.txt hidden inherited',
      ]),
    )
    expect(await visitor('/diary')).toEqual(E.left('permission denied'))
    expect(
      await serving(canopy, (env) =>
        pipe(operations.storageDirItems({ token, path: '' }, wholeListing)(env), TE.map(Items.collect)),
      ),
    ).toMatchObject({ right: { items: [{ name: 'diary' }, { name: 'photos' }, { name: 'welcome.txt' }] } })
    expect(await serving(canopy, operations.triggerPeek({ id: trigger.id }))).toMatchObject({
      right: { type: 'demo', json: expect.stringContaining('18446744073709551615') },
    })
  })
})
