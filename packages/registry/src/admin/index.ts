// For operators: the writing side, and a reader of all tables.
export * as RegistryUrl from '../RegistryUrl.js'
export { type Account, type NewToken, type TokenRecord, type TriggerRecord, tokenIdOf } from '../rows.js'
export { hintOf, messageWithHint, reasonOf, type Unavailable } from '../Unavailable.js'
export { type CopyOptions, type Counts, copyRegistry, type NotEmpty } from './copyRegistry.js'
export {
  openExistingRegistryWriter,
  openRegistryReader,
  openRegistryWriter,
  type RegistryReader,
  type RegistryWriter,
} from './RegistryWriter.js'
export {
  type AccountChange,
  type AccountRule,
  type BrokenTrigger,
  type ImportedRows,
  type NewAccount,
  type RulesExceeded,
  rulesWithinBounds,
  type StoredTrigger,
  type WriteError,
} from './tables.js'
