// For servers: reading only. What writes is in `@canopy/registry/admin`.
export { openRegistry, type Registry } from './openRegistry.js'
export * as RegistryUrl from './RegistryUrl.js'
export { tokenIdOf } from './rows.js'
export type { Unavailable } from './Unavailable.js'
