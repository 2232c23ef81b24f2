// The reading side, for servers. The writing side is `@canopy/registry/admin`.
export { openRegistry } from './openRegistry.js'
export type { Registry } from './Registry.js'
export * as RegistryUrl from './RegistryUrl.js'
export { tokenIdOf } from './rows.js'
export type { Unavailable } from './Unavailable.js'
