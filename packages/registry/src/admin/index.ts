// For operators: everything that writes, and what they look at.
export * as RegistryUrl from '../RegistryUrl.js'
export { type Account, type NewToken, type TokenRecord, type TriggerRecord, tokenIdOf } from '../rows.js'
export { advised, hintOf, reasonOf, type Unavailable } from '../Unavailable.js'
export { type CopyOptions, type Counts, copyRegistry, type NotEmpty } from './copyRegistry.js'
export {
  openExistingRegistryWriter,
  openRegistryReader,
  openRegistryWriter,
  type RegistryReader,
  type RegistryWriter,
} from './RegistryWriter.js'
export type { AccountChange, BrokenTrigger, Imported, NewAccount, Refusal, StoredTrigger } from './tables.js'
