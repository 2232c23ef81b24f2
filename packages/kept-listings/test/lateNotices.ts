import { fsNotices, type StorageRoot } from '@canopy/storage-fs'
import type { Notices } from '../src/Notices.js'

/** Tells of each change 20 ms later than it could. */
export const lateNotices = (root: StorageRoot.StorageRoot): Notices => {
  const notices = fsNotices(root)
  return {
    ...notices,
    watch: (area, path, changed) => notices.watch(area, path, (name) => void setTimeout(() => changed(name), 20)),
  }
}
