// For operators: everything that writes, and what they look at.
export * as RegistryUrl from '../RegistryUrl.js'
export type { Account, NewToken, TokenRecord, TriggerRecord } from '../rows.js'
export { hintOf, reasonOf, type Unavailable } from '../Unavailable.js'
export {
  type AccountChange,
  type BrokenTrigger,
  type NewAccount,
  openExistingRegistryWriter,
  openRegistryReader,
  openRegistryWriter,
  type Refusal,
  type RegistryReader,
  type RegistryWriter,
  type StoredTrigger,
} from './RegistryWriter.js'
