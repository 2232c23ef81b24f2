import { fsNotices, type StorageRoot } from '@canopy/storage-fs'
import type { Notices } from '../src/index.js'

type Act = (path: string) => void

const nothing: Act = () => undefined

/** Does something before and after each directory is watched. */
export const aroundWatches =
  ({ before = nothing, after = nothing }: { readonly before?: Act; readonly after?: Act }) =>
  (root: StorageRoot.StorageRoot): Notices => {
    const notices = fsNotices(root)
    return {
      ...notices,
      watch: (area, path, changed) => {
        before(path)
        const stop = notices.watch(area, path, changed)
        after(path)
        return stop
      },
    }
  }
