import type { Generated, Kysely } from 'kysely'
import { type Unavailable, unavailable } from './Unavailable.js'

/**
 * The tables of both engines. Neither has an unsigned 64-bit integer: a u64 is text of 20 digits, zero-padded, which sorts
 * like the number.
 */
export interface Schema {
  readonly accounts: {
    readonly id: string
    readonly name: string | null
    /** 0 or 1: SQLite has no boolean. */
    readonly verified: number
    readonly location: string
    /** 0 or 1: whether the directory was a mount point when the account got it. */
    readonly mount_point: Generated<number>
    /** 0 or 1: whether Canopy made the directory. 0 for accounts from before this column. */
    readonly area_made: Generated<number>
  }
  readonly tokens: {
    /** 64 hexadecimal digits. The token itself is never stored. */
    readonly sha256: string
    readonly account: string
    readonly scope: string
    readonly expires: string | null
    readonly label: string | null
  }
  readonly settings: {
    readonly account: string
    /** Replaces the path in the key: an index of PostgreSQL does not take the longest paths. */
    readonly path_sha256: string
    readonly path: string
    readonly visibility: string
  }
  readonly rules: {
    readonly account: string
    readonly pattern: string
    readonly visibility: string
  }
  /** Written by triggers of the database on every change of settings and rules. An account without a row never had any. */
  readonly settings_versions: {
    readonly account: string
    /** Random after every change: a counter would repeat itself when a backup is restored. */
    readonly version: string
  }
  readonly triggers: {
    readonly id: string
    readonly value: string
    readonly expires: string | null
  }
  readonly [migrationTable]: { readonly name: string; readonly timestamp: string }
}

export const migrationTable = 'canopy_migration'

/** The tables that operators fill. Accounts come first, because other tables refer to them. */
export const operatorTables = ['accounts', 'tokens', 'settings', 'rules', 'triggers'] as const

/**
 * The migrations from an empty database to this schema, oldest first. A released migration never changes. A name ends in
 * `_additive` if older servers can still read the result correctly. `0006_areas` is additive too, but older than this rule, and
 * registries store its name.
 */
export const migrationNames = [
  '0001_accounts',
  '0002_tokens',
  '0003_settings',
  '0004_triggers',
  '0005_settings_versions',
  '0006_areas',
  '0007_rules',
] as const

/** The tables of a database compared with this schema. `extended` is newer, but only by additive migrations. */
export type SchemaVersion = 'none' | 'older' | 'current' | 'extended' | 'newer'

const versionAfter = (applied: ReadonlyArray<string>): SchemaVersion => {
  const isKnown = (name: string): boolean => migrationNames.some((known) => known === name)
  const unknown = applied.filter((name) => !isKnown(name))
  const isComplete = applied.length - unknown.length === migrationNames.length
  if (unknown.length > 0)
    return isComplete && unknown.every((name) => name.endsWith('_additive')) ? 'extended' : 'newer'
  return applied.length === 0 ? 'none' : isComplete ? 'current' : 'older'
}

export const appliedMigrations = async (db: Kysely<Schema>): Promise<ReadonlyArray<string>> =>
  (await db.selectFrom(migrationTable).select('name').execute()).map(({ name }) => name)

export const schemaVersion = async (db: Kysely<Schema>): Promise<SchemaVersion> => {
  const tables = await db.introspection.getTables()
  return tables.some(({ name }) => name === migrationTable) ? versionAfter(await appliedMigrations(db)) : 'none'
}

type WrongVersion = Exclude<SchemaVersion, 'current' | 'extended'>

const versionProblems: { readonly [Version in WrongVersion]: readonly [problem: string, hint: string] } = {
  none: ['contains no registry', 'run `canopy account create` to create one'],
  older: ['was created by an older version of Canopy', "run this version's `canopy registry migrate` to upgrade it"],
  newer: [
    'was created or migrated by a newer version of Canopy',
    'Use the server and the canopy command from that version or a later one',
  ],
}

/** `place` is safe to print. */
export const wrongVersion = (place: string, version: WrongVersion): Unavailable => {
  const [problem, hint] = versionProblems[version]
  return { ...unavailable(`${place} ${problem}`, hint), isOlder: version === 'older' }
}

/** Throws if a newer Canopy has migrated the open registry: this code could misread its changes. */
export const refuseNewer = (applied: ReadonlyArray<string>): void => {
  if (versionAfter(applied) === 'newer') throw new Error(`the registry ${versionProblems.newer.join('. ')}`)
}

/**
 * A reader needs the tables of its own version or of an extended one. A view may repeat its rows for ever. `place` is safe to
 * print.
 */
export const schemaProblem = async (db: Kysely<Schema>, place: string): Promise<Unavailable | undefined> => {
  const version = await schemaVersion(db)
  if (version !== 'current' && version !== 'extended') return wrongVersion(place, version)
  const tables = new Set((await db.introspection.getTables()).flatMap(({ name, isView }) => (isView ? [] : name)))
  const missing = [...operatorTables, 'settings_versions'].filter((name) => !tables.has(name))
  return missing.length === 0
    ? undefined
    : unavailable(`${place} is missing tables: ${missing.join(', ')}`, 'Restore your last backup (docs/operations.md)')
}
