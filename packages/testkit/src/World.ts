import {
  type Area,
  type AreaOfTokenEnv,
  type AreaOfUserEnv,
  type ListEnv,
  type NamePattern,
  type NodeAtEnv,
  type OpenFileEnv,
  type Rule,
  Settings,
  type SettingsOfEnv,
  type StoragePath,
  type TriggerOfEnv,
  type Visibility,
} from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'

/** The state that decides every answer, as plain data. A backend seeds it before the first request. */
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
  /** None by default. */
  readonly rules?: ReadonlyArray<WorldRule>
  /** The content of the root directory; `missing` for an area without a root, as after a lost mount. */
  readonly area: ReadonlyArray<WorldNode> | 'missing'
  /** The location of the area in memory ports; the id by default. */
  readonly location?: string
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

/** At most one per pattern of an account. */
export interface WorldRule {
  readonly pattern: string
  readonly visibility: Rule['visibility']
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
  /** Its bytes, in UTF-8, which must be `size` bytes; zeros by default. */
  readonly text?: string
}

export interface WorldDirectory {
  readonly type: 'dir'
  readonly name: string
  readonly last_modified: bigint
  readonly content: ReadonlyArray<WorldNode>
  /** Permissions (chmod 000) stop everyone from listing the directory and from reading a node in it. */
  readonly locked?: true
}

/**
 * A node that Canopy treats as neither file nor directory. Omit it where the storage cannot contain it. A `dead` entry
 * exists but cannot be read, like a mount without its server.
 */
export interface WorldOther {
  readonly type: 'link' | 'fifo' | 'undecodable' | 'dead'
  /** For an `undecodable` entry, the part before its invalid bytes. */
  readonly name: string
  /** The target of a link. */
  readonly target?: string
}

/** `size` in bytes, `last_modified` in seconds since 1970. */
export const file = (name: string, size: bigint | number = 1n, last_modified: bigint | number = 1n): WorldFile => ({
  type: 'file',
  name,
  size: BigInt(size),
  last_modified: BigInt(last_modified),
})

/** A file with these bytes, last modified at second 1. */
export const textFile = (name: string, text: string): WorldFile => ({ ...file(name, Buffer.byteLength(text)), text })

/** Last modified at second 1. */
export const dir = (name: string, ...content: ReadonlyArray<WorldNode>): WorldDirectory => ({
  type: 'dir',
  name,
  last_modified: 1n,
  content,
})

/** Returns nodes with another node at a path, or without it. */
export const withNode = (
  nodes: ReadonlyArray<WorldNode>,
  path: string,
  node: WorldNode | undefined,
): ReadonlyArray<WorldNode> => {
  const [name, ...below] = path.slice(1).split('/')
  return below.length === 0
    ? [...nodes.filter((each) => each.name !== name), ...(node === undefined ? [] : [node])]
    : nodes.map((each) =>
        each.type === 'dir' && each.name === name
          ? { ...each, content: withNode(each.content, `/${below.join('/')}`, node) }
          : each,
      )
}

/** Returns the rules of an account as values of the domain. */
export const rulesOf = ({ rules = [] }: WorldAccount): ReadonlyArray<Rule> =>
  rules.map(({ pattern, visibility }) => ({ pattern: pattern as NamePattern.NamePattern, visibility }))

/** Returns the settings and rules of an account as a value of the domain. Without rules if they exceed their limits. */
export const settingsOf = (account: WorldAccount): Settings.Settings => {
  const settings = Settings.fromEntries(
    account.settings.map(({ path, visibility }) => [path as StoragePath.StoragePath, visibility]),
  )
  return O.getOrElse(() => settings)(Settings.addRules(settings, rulesOf(account)))
}

/** The ports of a storage adapter. */
export type StoragePorts = NodeAtEnv & ListEnv
/** The port of files, which a storage adapter may lack. */
export type FilePorts = OpenFileEnv
/** The ports of a registry adapter. */
export type RegistryPorts = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & TriggerOfEnv
/** The six ports of the operations. */
export type Ports = StoragePorts & RegistryPorts

/** Ports over a world that was seeded for one test. */
export interface Seeded<P> {
  readonly ports: P
  /** Removes the world. Called once, even after a port has thrown. */
  readonly close: () => Promise<void>
}

/** Two areas that were seeded for one test. */
export interface SeededStorage extends Seeded<StoragePorts> {
  /** The area with the first nodes. */
  readonly area: Area.Area
  /** The area with the other nodes, in the same storage. */
  readonly other: Area.Area
}

/** A storage that other programs change. */
export interface ChangingStorage extends SeededStorage {
  /**
   * Puts a node in the place of the one at this path of `area`, or removes it for `undefined`, as another program does. The
   * name of the node is the last segment of the path. Directories never become empty.
   */
  readonly change: (path: string, node: WorldFile | WorldDirectory | undefined) => Promise<void>
}

/** Creates two areas with exactly these nodes. */
export type SeedStorage<Storage extends SeededStorage = SeededStorage> = (
  nodes: WorldAccount['area'],
  otherNodes: WorldAccount['area'],
) => Promise<Storage>

/** Creates a registry with exactly this world. It ignores the nodes of areas. */
export type SeedRegistry = (world: World) => Promise<Seeded<RegistryPorts>>
