import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres, startPostgres } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { RegistryUrl } from '../src/RegistryUrl.js'

export interface Running {
  /** Where no registry is yet. */
  readonly newUrl: () => Promise<RegistryUrl>
  readonly stop: () => Promise<void>
}

export interface Engine {
  readonly name: RegistryUrl['engine']
  readonly start: () => Promise<Running>
}

export const sqlite: Engine = {
  name: 'SQLite',
  start: async () => {
    const home = await mkdtemp(join(tmpdir(), 'canopy-registry-'))
    const made = { registries: 0 }
    return {
      newUrl: async () => {
        made.registries += 1
        return { engine: 'SQLite', path: join(home, `${made.registries}`, 'registry.db') }
      },
      stop: () => rm(home, { recursive: true, force: true }),
    }
  },
}

const postgresql: Engine = {
  name: 'PostgreSQL',
  start: async () => {
    const { newDatabase, stop } = await startPostgres()
    return { newUrl: async () => ({ engine: 'PostgreSQL', connectionString: await newDatabase() }), stop }
  },
}

const { CI } = process.env

/** PostgreSQL as well, where it is installed; in CI it must be, so that starting it fails there. */
export const engines: ReadonlyArray<Engine> = pipe(
  findPostgres(process.env),
  E.match(
    (message) => {
      if (CI === 'true') return [sqlite, postgresql]
      console.warn(`These tests run over SQLite only. ${message}`)
      return [sqlite]
    },
    () => [sqlite, postgresql],
  ),
)
