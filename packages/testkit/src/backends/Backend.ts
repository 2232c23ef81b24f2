import { Envelope, Failure, Items, operations, Tree } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { WorldBounds } from '../arbitraries/worlds.js'
import type { Answer, Ask, DirItemsAsk, TreeAsk } from '../scenarios/Scenario.js'
import { seeding } from '../seed.js'
import type { Ports, Seeded, World } from '../World.js'
import { collectLines } from './collectLines.js'

/** The range of most disks: sizes in bytes, Unix times in seconds. */
export const diskBounds: WorldBounds = { maxSize: 2n ** 43n, maxTime: 2n ** 33n }

/** Answers requests over a seeded world: the domain over adapters, or a service over HTTP. */
export interface Backend {
  /** For reports. */
  readonly name: string
  /** False if sizes stay below 2^43 and times below 2^33: then skip scenarios that are `memoryOnly`. */
  readonly holdsEveryU64: boolean
  /** Seeds a fresh copy of the world, or rejects with `SeedingFailed`. */
  readonly open: (world: World) => Promise<OpenBackend>
}

/** One seeded world of a backend. */
export interface OpenBackend {
  /** Returns the exact body of a success, or the name of a failure. */
  readonly ask: (ask: Ask) => Promise<Answer>
  /** Removes the seeded world. */
  readonly close: () => Promise<void>
}

const invalid = (field: string): Failure.External => Failure.external(new Error(`the request has an invalid ${field}`))

const treeText = (
  { depth, lines }: TreeAsk,
  operation: (bounds: Tree.Bounds) => RTE.ReaderTaskEither<Ports, Failure.Failure, Tree.Tree>,
) =>
  pipe(
    RTE.fromEither(Tree.bounds({ depth, lines })),
    RTE.mapLeft(invalid),
    RTE.flatMap((bounds) =>
      pipe(
        operation(bounds),
        RTE.flatMapTaskEither((tree) =>
          lines === undefined ? TE.map(Envelope.treeJson)(Tree.collect(tree)) : collectLines(tree, bounds),
        ),
      ),
    ),
  )

const itemsText = (
  { limit, after }: DirItemsAsk,
  operation: (bounds: Items.Bounds) => RTE.ReaderTaskEither<Ports, Failure.Failure, Items.Items>,
) =>
  pipe(
    RTE.fromEither(Items.bounds({ limit, after })),
    RTE.mapLeft(invalid),
    RTE.flatMap(operation),
    RTE.flatMapTaskEither(Items.collect),
    RTE.map(({ items }) => Envelope.dirContentJson(items)),
  )

const program = (ask: Ask): RTE.ReaderTaskEither<Ports, Failure.Failure, string> => {
  switch (ask.operation) {
    case 'storageTree':
      return treeText(ask, (bounds) => operations.storageTree({ token: ask.credential, path: ask.path }, bounds))
    case 'userContentTree':
      return treeText(ask, (bounds) => operations.userContentTree({ user: ask.credential, path: ask.path }, bounds))
    case 'storageDirItems':
      return itemsText(ask, (page) => operations.storageDirItems({ token: ask.credential, path: ask.path }, page))
    case 'userContentDirItems':
      return itemsText(ask, (page) => operations.userContentDirItems({ user: ask.credential, path: ask.path }, page))
    case 'triggerPeek':
      return pipe(operations.triggerPeek({ id: ask.credential }), RTE.map(Envelope.triggerPeakJson))
  }
}

/** Runs an operation of the domain over any ports, without HTTP. */
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

/** Creates the backend of the domain over adapters, without HTTP. `seed` creates a fresh copy of a world with its ports. */
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
