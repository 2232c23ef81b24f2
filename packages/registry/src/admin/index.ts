// The door for operators: everything that writes.
export * as RegistryUrl from '../RegistryUrl.js'
export type { Unavailable } from '../Unavailable.js'
export { openRegistryWriter } from './openRegistryWriter.js'
export type {
  Account,
  BrokenTrigger,
  NewAccount,
  NewToken,
  Refusal,
  RegistryWriter,
  StoredTrigger,
  TokenRecord,
  TriggerRecord,
} from './RegistryWriter.js'
