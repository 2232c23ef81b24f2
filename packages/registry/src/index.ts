// The door for servers: reading only. What writes is behind `@canopy/registry/admin`.
export type { Now } from './Now.js'
export { openRegistry, type Registry, type RegistryOptions } from './openRegistry.js'
export * as RegistryUrl from './RegistryUrl.js'
export { tokenIdOf } from './tokenId.js'
export type { Unavailable } from './Unavailable.js'
