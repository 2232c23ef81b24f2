import type { OpenStorageModule } from '@canopy/domain'

declare const open: OpenStorageModule
export default open
