import { join } from 'node:path'
import { openRegistryWriter, RegistryUrl } from '@canopy/registry/admin'
import { seedDirectory, seedRegistry, type World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** Seeds a world as files and a registry, by default SQLite in the data directory. */
export const seedData = async (
  data: string,
  world: World,
  registry = `sqlite:${data}/registry.sqlite`,
): Promise<void> => {
  for (const { id, area } of world.accounts) await seedDirectory(join(data, 'areas', id), area)
  const seeded = await pipe(
    RegistryUrl.fromString(data, registry),
    TE.fromEither,
    TE.flatMap((url) => openRegistryWriter(url)),
    TE.flatMap((writer) =>
      pipe(
        seedRegistry(writer)(world),
        TE.tapTask(() => writer.close),
      ),
    ),
  )()
  if (E.isLeft(seeded)) throw new Error(`could not seed: ${JSON.stringify(seeded.left)}`)
}
