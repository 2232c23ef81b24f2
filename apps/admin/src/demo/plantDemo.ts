import { existsSync } from 'node:fs'
import { createArea } from '@canopy/storage-fs/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { directoryOf } from '../AreaMap.js'
import * as Argument from '../Argument.js'
import type { PlaceEnv, RegistryEnv, StorageEnv } from '../CommandEnv.js'
import { failed, type Problem } from '../Problem.js'
import { refused } from '../refused.js'
import { type Demo, remember } from './demoAccount.js'
import { demoSettings } from './demoTree.js'
import { plantFiles } from './plantFiles.js'

const files =
  ({ root }: StorageEnv) =>
  ({ account }: Demo): TE.TaskEither<Problem, unknown> =>
    pipe(
      createArea(root, account.location),
      TE.mapLeft(({ error, reason }) => failed(error)(reason)),
      TE.flatMap(({ directory }) => plantFiles(directory)),
    )

const settings =
  ({ registry }: RegistryEnv) =>
  ({ account }: Demo): TE.TaskEither<Problem, unknown> =>
    pipe(
      demoSettings,
      TE.traverseSeqArray(([path, visibility]) =>
        pipe(
          TE.fromEither(Argument.path(path)),
          TE.flatMap((at) => pipe(registry.settings.set(account.id, at, visibility), TE.mapLeft(refused))),
        ),
      ),
    )

const filesIfGone =
  (env: StorageEnv) =>
  (demo: Demo): TE.TaskEither<Problem, unknown> =>
    pipe(
      TE.fromIO(() => existsSync(directoryOf(env.root, demo.account))),
      TE.flatMap((there) => (there ? TE.right(undefined) : files(env)(demo))),
    )

/**
 * Settings are made once: what an operator changed in the demo stays changed. Files are made again only when their
 * whole directory is gone, as after a change of the storage.
 */
export const plantDemo =
  (env: RegistryEnv & StorageEnv & PlaceEnv) =>
  (demo: Demo): TE.TaskEither<Problem, Demo> =>
    demo.memory.planted
      ? pipe(
          filesIfGone(env)(demo),
          TE.map(() => demo),
        )
      : pipe(
          files(env)(demo),
          TE.flatMap(() => settings(env)(demo)),
          TE.flatMap(() => remember(env)({ ...demo, memory: { ...demo.memory, planted: true } })),
        )
