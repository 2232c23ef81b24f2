import { Envelope, type Failure, Items, operations, type Page, Tree } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as T from 'fp-ts/lib/Task.js'
import type { Ask, DirItemsAsk, TreeAsk } from '../Ask.js'
import type { Ports } from '../laws/Subject.js'
import type { Answer } from '../scenarios/Scenario.js'

const boundsOf = ({ depth }: TreeAsk): Tree.Bounds => ({ ...Tree.unbounded, depth: O.fromNullable(depth) })

const pageOf = ({ limit, after }: DirItemsAsk): Page => ({
  limit: O.fromNullable(limit),
  after: O.fromNullable(after),
})

const treeBody = (tree: Tree.Tree) => pipe(Tree.collect(tree), T.map(Envelope.treeJson))

const program = (ask: Ask): RTE.ReaderTaskEither<Ports, Failure.Failure, string> => {
  switch (ask.operation) {
    case 'storageTree':
      return pipe(
        operations.storageTree({ token: ask.credential, path: ask.path }, boundsOf(ask)),
        RTE.flatMapTask(treeBody),
      )
    case 'userContentTree':
      return pipe(
        operations.userContentTree({ user: ask.credential, path: ask.path }, boundsOf(ask)),
        RTE.flatMapTask(treeBody),
      )
    case 'storageDirItems':
      return pipe(
        operations.storageDirItems({ token: ask.credential, path: ask.path }, pageOf(ask)),
        RTE.map((items) => Envelope.dirContentJson(Items.collect(items).items)),
      )
    case 'userContentDirItems':
      return pipe(
        operations.userContentDirItems({ user: ask.credential, path: ask.path }, pageOf(ask)),
        RTE.map((items) => Envelope.dirContentJson(Items.collect(items).items)),
      )
    case 'triggerPeek':
      return pipe(operations.triggerPeek({ id: ask.credential }), RTE.map(Envelope.triggerPeakJson))
  }
}

/** Asks the domain itself, over any ports, without HTTP. */
export const askInProcess =
  (ports: Ports) =>
  async (ask: Ask): Promise<Answer> =>
    pipe(
      await program(ask)(ports)(),
      E.match(
        ({ error }): Answer => ({ error }),
        (body): Answer => ({ body }),
      ),
    )
