import { findPostgres, startPostgres } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'

export interface Registries {
  readonly name: string
  readonly start: () => Promise<{
    readonly newUrl: (data: string) => Promise<string>
    readonly stop: () => Promise<void>
  }>
}

const sqlite: Registries = {
  name: 'SQLite',
  start: async () => ({ newUrl: async (data) => `sqlite:${data}/registry.sqlite`, stop: async () => undefined }),
}

const postgresql: Registries = {
  name: 'PostgreSQL',
  start: () => startPostgres().then(({ newDatabase, stop }) => ({ newUrl: newDatabase, stop })),
}

/** Without PostgreSQL only CI fails. */
export const hasPostgres = E.isRight(findPostgres(process.env)) || process.env['CI'] === 'true'

export const registries: ReadonlyArray<Registries> = hasPostgres ? [sqlite, postgresql] : [sqlite]
