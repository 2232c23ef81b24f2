import { Envelope, type Failure, Items, operations, type Page, Tree } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as T from 'fp-ts/lib/Task.js'
import type { WorldBounds } from '../arbitraries/worlds.js'
import type { Answer, Ask, DirItemsAsk, TreeAsk } from '../scenarios/Scenario.js'
import { seeding } from '../seed.js'
import type { Ports, Seeded, World } from '../World.js'

/** What most disks can hold: sizes in bytes, times in seconds since 1970. */
export const diskBounds: WorldBounds = { maxSize: 2n ** 43n, maxTime: 2n ** 33n }

/** A way to ask questions of a world: the domain over some adapters, or a service over HTTP. */
export interface Backend {
  /** How reports call it. */
  readonly name: string
  /** False when it holds only sizes below 2^43 and times below 2^33: then ask no scenario that is `memoryOnly`. */
  readonly holdsEveryU64: boolean
  /** Seeds a fresh copy of the world. Rejects with `SeedingFailed` where that fails. */
  readonly open: (world: World) => Promise<OpenBackend>
}

/** One world behind a backend. */
export interface OpenBackend {
  /** The body of a success to the byte, or the name of a failure. */
  readonly ask: (ask: Ask) => Promise<Answer>
  /** Removes what was seeded. */
  readonly close: () => Promise<void>
}

const boundsOf = ({ depth }: TreeAsk): Tree.Bounds => ({ ...Tree.unbounded, depth: O.fromNullable(depth) })

const pageOf = ({ limit, after }: DirItemsAsk): Page => ({ limit: O.fromNullable(limit), after: O.fromNullable(after) })

const treeText = RTE.flatMapTask((tree: Tree.Tree) => pipe(Tree.collect(tree), T.map(Envelope.treeJson)))

const itemsText = RTE.map((items: Items.Items) => Envelope.dirContentJson(Items.collect(items).items))

const program = (ask: Ask): RTE.ReaderTaskEither<Ports, Failure.Failure, string> => {
  switch (ask.operation) {
    case 'storageTree':
      return treeText(operations.storageTree({ token: ask.credential, path: ask.path }, boundsOf(ask)))
    case 'userContentTree':
      return treeText(operations.userContentTree({ user: ask.credential, path: ask.path }, boundsOf(ask)))
    case 'storageDirItems':
      return itemsText(operations.storageDirItems({ token: ask.credential, path: ask.path }, pageOf(ask)))
    case 'userContentDirItems':
      return itemsText(operations.userContentDirItems({ user: ask.credential, path: ask.path }, pageOf(ask)))
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

/**
 * The domain itself over some adapters, without HTTP. `seed` makes a fresh copy of a world each time, and ports over it.
 */
export const coreBackend = (
  name: string,
  holdsEveryU64: boolean,
  seed: (world: World) => Promise<Seeded<Ports>>,
): Backend => ({
  name,
  holdsEveryU64,
  open: async (world) => {
    const { ports, close } = await seeding(`a world of ${name}`, () => seed(world))
    return { ask: askInProcess(ports), close }
  },
})
