import type { Generated, Kysely } from 'kysely'
import { type Unavailable, unavailable } from './Unavailable.js'

/**
 * The tables, the same in both engines. A u64 is text of 20 digits, zero-padded: neither engine has an unsigned 64-bit
 * integer, and so it sorts as the number does.
 */
export interface Schema {
  readonly accounts: {
    readonly id: string
    readonly name: string | null
    /** 0 or 1: SQLite has no boolean. */
    readonly verified: number
    readonly location: string
    /** 0 or 1: whether something was mounted on its directory when that was given to the account. */
    readonly mount_point: Generated<number>
    /** 0 or 1: whether Canopy made its directory. 0 for an account that is older than this record. */
    readonly area_made: Generated<number>
  }
  readonly tokens: {
    /** 64 hexadecimal digits. The token itself is nowhere. */
    readonly sha256: string
    readonly account: string
    readonly scope: string
    readonly expires: string | null
    readonly label: string | null
  }
  readonly settings: {
    readonly account: string
    /** In place of the path in the key: a path may be longer than an index of PostgreSQL takes. */
    readonly path_sha256: string
    readonly path: string
    readonly visibility: string
  }
  /** Written by triggers of the database, whatever changes settings. No row: the account never had settings. */
  readonly settings_versions: {
    readonly account: string
    /** Random, and another one after every change: a number would come again when a backup is restored. */
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

/**
 * Every step from an empty database to this schema, oldest first. A step that was released never changes. The name of one
 * that leaves all that was there before with the meaning that it had ends in `_additive`: servers of before go on beside it.
 * `0006_areas` is additive without that ending, which came later: registries store its name.
 */
export const migrationNames = [
  '0001_accounts',
  '0002_tokens',
  '0003_settings',
  '0004_triggers',
  '0005_settings_versions',
  '0006_areas',
] as const

/** How the tables of a database compare with the ones this code knows. What is `extended` is newer, and can be read all the same. */
export type SchemaVersion = 'none' | 'older' | 'current' | 'extended' | 'newer'

const versionAfter = (applied: ReadonlyArray<string>): SchemaVersion => {
  const isKnown = (name: string): boolean => migrationNames.some((known) => known === name)
  const unknown = applied.filter((name) => !isKnown(name))
  const isWhole = applied.length - unknown.length === migrationNames.length
  if (unknown.length > 0) return isWhole && unknown.every((name) => name.endsWith('_additive')) ? 'extended' : 'newer'
  return applied.length === 0 ? 'none' : isWhole ? 'current' : 'older'
}

export const appliedSteps = async (db: Kysely<Schema>): Promise<ReadonlyArray<string>> =>
  (await db.selectFrom(migrationTable).select('name').execute()).map(({ name }) => name)

export const schemaVersion = async (db: Kysely<Schema>): Promise<SchemaVersion> => {
  const tables = await db.introspection.getTables()
  return tables.some(({ name }) => name === migrationTable) ? versionAfter(await appliedSteps(db)) : 'none'
}

type OtherVersion = Exclude<SchemaVersion, 'current' | 'extended'>

const whatToDo: { readonly [Version in OtherVersion]: readonly [is: string, to: string] } = {
  none: ['holds no registry', '`canopy account create` makes one'],
  older: ['was made by an older Canopy', '`canopy registry migrate` of this version brings it up to date'],
  newer: [
    'was made or migrated by a newer Canopy',
    'Use the server and the canopy command of that version, or of a later one',
  ],
}

/** Of a database that is of another version. `place` is safe to print. */
export const ofAnotherVersion = (place: string, version: OtherVersion): Unavailable => {
  const [is, to] = whatToDo[version]
  return { ...unavailable(`${place} ${is}`, to), isOlder: version === 'older' }
}

/** Throws where a newer Canopy has migrated the registry while it was read: what was committed since may mean something else. */
export const refuseNewer = (applied: ReadonlyArray<string>): void => {
  if (versionAfter(applied) === 'newer') throw new Error(`the registry ${whatToDo.newer.join('. ')}`)
}

/** A reader needs tables of its version, or of one that extends it. `place` is safe to print. */
export const schemaProblem = async (db: Kysely<Schema>, place: string): Promise<Unavailable | undefined> => {
  const version = await schemaVersion(db)
  return version === 'current' || version === 'extended' ? undefined : ofAnotherVersion(place, version)
}
