import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRegistry, RegistryUrl } from '@canopy/registry'
import { fsStorage, StorageRoot } from '@canopy/storage-fs'
import { type Backend, httpBackend, removeDirectory, type World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { plantData } from '../plantData.js'
import { startApp } from '../startApp.js'

const opened = async (data: string) => {
  const ports = await pipe(
    TE.Do,
    TE.bindW('registry', () =>
      pipe(
        RegistryUrl.fromString(data, `sqlite:${data}/registry.sqlite`),
        TE.fromEither,
        TE.flatMap((url) => openRegistry(url)),
      ),
    ),
    TE.bindW('root', () => TE.fromEither(StorageRoot.fromText(data)('file:areas'))),
  )()
  if (E.isLeft(ports)) throw new Error(`could not open: ${JSON.stringify(ports.left)}`)
  return ports.right
}

const serve = async (world: World) => {
  const data = await mkdtemp(join(tmpdir(), 'canopy-properties-'))
  await plantData(data, world)
  const { registry, root } = await opened(data)
  const { port, stop } = await startApp({ ...registry, ...fsStorage(root) })
  return {
    port,
    close: async () => {
      await stop()
      await registry.close()
      await removeDirectory(data)
    },
  }
}

/** The service in this process, over real files and SQLite, made again for each world. */
export const filesBackend: Backend = httpBackend('HTTP over files and SQLite', false, serve)
