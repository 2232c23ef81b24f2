// For operators: the writing side, and a reader of all tables.
export * as RegistryUrl from '../RegistryUrl.js'
export { type Account, type NewToken, type TokenRecord, type TriggerRecord, tokenIdOf } from '../rows.js'
export { driverReason, hintOf, messageWithHint, type Unavailable } from '../Unavailable.js'
export { type CopyOptions, type Counts, copyRegistry, type NotEmpty } from './copyRegistry.js'
export {
  openExistingRegistryWriter,
  openRegistryReader,
  openRegistryWriter,
  type RegistryReader,
  type RegistryWriter,
} from './RegistryWriter.js'
export type { AccountChange, BrokenTrigger, ImportedRows, NewAccount, StoredTrigger } from './tables.js'
export type { WriteError } from './WriteError.js'
