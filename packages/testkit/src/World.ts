import type { Settings, StoragePath, Visibility } from '@canopy/domain'

/** Everything an answer can depend on, as plain data: what a backend seeds before it is asked. */
export interface World {
  readonly accounts: ReadonlyArray<WorldAccount>
  readonly triggers: ReadonlyArray<WorldTrigger>
}

export interface WorldAccount {
  /** Canonical decimal. */
  readonly id: string
  readonly verified: boolean
  readonly tokens: ReadonlyArray<WorldToken>
  readonly settings: ReadonlyArray<WorldSetting>
  /** What the root directory of the area holds; `missing` when the area has no root, as after a lost mount. */
  readonly area: ReadonlyArray<WorldNode> | 'missing'
}

export interface WorldToken {
  readonly token: string
  /** As a storage path: `/` for the whole area. */
  readonly scope: string
  readonly state: 'valid' | 'expired' | 'revoked'
}

export interface WorldSetting {
  readonly path: string
  readonly visibility: Visibility.Visibility
}

export interface WorldTrigger {
  readonly id: string
  /** The whole value as JSON text. */
  readonly value: string
  readonly state: 'valid' | 'expired' | 'deleted'
}

export type WorldNode = WorldFile | WorldDirectory | WorldOther

export interface WorldFile {
  readonly type: 'file'
  readonly name: string
  readonly size: bigint
  readonly last_modified: bigint
}

export interface WorldDirectory {
  readonly type: 'dir'
  readonly name: string
  readonly last_modified: bigint
  readonly content: ReadonlyArray<WorldNode>
  /** True when permissions stop everyone (chmod 000): it cannot be listed, and nothing in it can be looked at. */
  readonly locked?: true
}

/**
 * What exists for the file system and is neither file nor directory for Canopy. A storage without such things seeds nothing.
 * A `dead` entry is there and cannot be looked at, as a mount whose server is gone.
 */
export interface WorldOther {
  readonly type: 'link' | 'fifo' | 'undecodable' | 'dead'
  /** Of an `undecodable` entry only the part before its invalid bytes. */
  readonly name: string
  /** Where a link points. */
  readonly target?: string
}

/** The settings of an account as the domain holds them. */
export const settingsMap = ({ settings }: WorldAccount): Settings.Settings =>
  new Map(settings.map(({ path, visibility }) => [path as StoragePath.StoragePath, visibility]))
