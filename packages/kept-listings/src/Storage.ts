import type { ListEnv, NodeAtEnv } from '@canopy/domain'

/** The storage ports, and a third for directories that are changed while they are read. */
export interface Storage extends NodeAtEnv, ListEnv {
  /**
   * Lists what a directory held at one moment after it was asked. An adapter whose listings are of one moment anyway gives
   * `list` once more.
   */
  readonly listAtRest: ListEnv['list']
}
