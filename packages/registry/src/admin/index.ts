// The door for operators: everything that writes.
export * as RegistryUrl from '../RegistryUrl.js'
export type { Unavailable } from '../Unavailable.js'
export { openRegistryWriter } from './openRegistryWriter.js'
export type {
  Account,
  NewAccount,
  NewToken,
  Refusal,
  RegistryWriter,
  TokenRecord,
  TriggerRecord,
} from './RegistryWriter.js'
