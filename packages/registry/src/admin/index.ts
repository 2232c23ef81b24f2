// For operators: everything that writes, and what they look at.
import type { copyRegistry as Copy } from './copyRegistry.js'

export * as RegistryUrl from '../RegistryUrl.js'
export { type Account, type NewToken, type TokenRecord, type TriggerRecord, tokenIdOf } from '../rows.js'
export { hintOf, reasonOf, type Unavailable } from '../Unavailable.js'
export type { CopyOptions, Counts, NotEmpty } from './copyRegistry.js'
export {
  openExistingRegistryWriter,
  openRegistryReader,
  openRegistryWriter,
  type RegistryReader,
  type RegistryWriter,
} from './RegistryWriter.js'
export type { AccountChange, BrokenTrigger, Imported, NewAccount, Refusal, StoredTrigger } from './tables.js'

/** Copies one moment of a registry to another place, as a whole or not at all. Loads what it needs when it runs. */
export const copyRegistry: typeof Copy =
  (...asked) =>
  async () =>
    (await import('./copyRegistry.js')).copyRegistry(...asked)()
