import type { Generated } from 'kysely'

/**
 * The tables, the same in both engines. A u64 is text of 20 digits, zero-padded: neither engine has an unsigned 64-bit
 * integer, and so it sorts as the number does.
 */
export interface Schema {
  readonly accounts: AccountsTable
  readonly tokens: TokensTable
  readonly settings: SettingsTable
  readonly settings_versions: SettingsVersionsTable
  readonly triggers: TriggersTable
  readonly [migrationTable]: { readonly name: string; readonly timestamp: string }
}

export interface AccountsTable {
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

export interface TokensTable {
  /** 64 hexadecimal digits. The token itself is nowhere. */
  readonly sha256: string
  readonly account: string
  readonly scope: string
  readonly expires: string | null
  readonly label: string | null
}

export interface SettingsTable {
  readonly account: string
  /** Stands for the path in the key: a path may be longer than an index of PostgreSQL takes. */
  readonly path_sha256: string
  readonly path: string
  readonly visibility: string
}

/** Written by triggers of the database, whoever changes settings and however. No row: the account never had settings. */
export interface SettingsVersionsTable {
  readonly account: string
  /** Random, and another one after every change: a number would come again when a backup is restored. */
  readonly version: string
}

export interface TriggersTable {
  readonly id: string
  readonly value: string
  readonly expires: string | null
}

export const migrationTable = 'canopy_migration'

/** Every step from an empty database to this schema, oldest first. A step that was released never changes. */
export const migrationNames = [
  '0001_accounts',
  '0002_tokens',
  '0003_settings',
  '0004_triggers',
  '0005_settings_versions',
  '0006_areas',
] as const

export type MigrationName = (typeof migrationNames)[number]
