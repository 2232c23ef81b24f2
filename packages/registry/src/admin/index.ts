// The door for operators: everything that writes, and what they look at.
export * as RegistryUrl from '../RegistryUrl.js'
export type { Unavailable } from '../Unavailable.js'
export { reasonAndWayOut } from '../wayOut.js'
export { openRegistryReader } from './openRegistryReader.js'
export { openExistingRegistryWriter, openRegistryWriter } from './openRegistryWriter.js'
export type { RegistryReader } from './RegistryReader.js'
export type {
  Account,
  AccountChange,
  BrokenTrigger,
  NewAccount,
  NewToken,
  Refusal,
  RegistryWriter,
  StoredTrigger,
  TokenRecord,
  TriggerRecord,
} from './RegistryWriter.js'
