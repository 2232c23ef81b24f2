import type { Failure } from '@canopy/domain'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { RegistryWriter } from './RegistryWriter.js'

/** What of the registry an operator can look at without changing anything. */
export interface RegistryReader {
  readonly accounts: Pick<RegistryWriter['accounts'], 'all' | 'find'>
  readonly tokens: Pick<RegistryWriter['tokens'], 'of'>
  readonly settings: Pick<RegistryWriter['settings'], 'of'>
  readonly triggers: Pick<RegistryWriter['triggers'], 'all'>
  /** Where it is, without any secret. */
  readonly place: string
  /** The first thing that is wrong with its file; nothing of PostgreSQL, which keeps its own. */
  readonly damage: TE.TaskEither<Failure.External, ReadonlyArray<string>>
  readonly close: RegistryWriter['close']
}
