// For operators: everything that writes, and what they look at.
export * as RegistryUrl from '../RegistryUrl.js'
export { type Account, type NewToken, type TokenRecord, type TriggerRecord, tokenIdOf } from '../rows.js'
export { reasonAndHint, type Unavailable } from '../Unavailable.js'
export { type CopyOptions, type Counts, copyRegistry, type NotEmpty, rowsIn } from './copyRegistry.js'
export {
  type AccountChange,
  type BrokenTrigger,
  type Imported,
  type NewAccount,
  openExistingRegistryWriter,
  openRegistryReader,
  openRegistryWriter,
  type Refusal,
  type RegistryReader,
  type RegistryWriter,
  type StoredTrigger,
} from './RegistryWriter.js'
