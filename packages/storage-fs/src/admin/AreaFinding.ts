import type { StoragePath } from '@canopy/domain'

/** Something in an area that Canopy cannot show. */
export type Trouble =
  | {
      readonly finding: 'name not listable'
      readonly directory: StoragePath.StoragePath
      /** Its bytes as printable ASCII: `caf\xe9`. */
      readonly name: string
    }
  | {
      readonly finding: 'directory not readable'
      readonly directory: StoragePath.StoragePath
      /** Such as `EACCES`. */
      readonly errno: string
    }
  /** Whoever would be shown it is answered `external`: a mount that is dead, say. */
  | {
      readonly finding: 'node not known'
      readonly path: StoragePath.StoragePath
      /** Such as `ENOTCONN`. */
      readonly errno: string
    }
  /** More than 255 names or 4,096 bytes: neither this nor anything below it can be asked for. */
  | { readonly finding: 'path too long'; readonly directory: StoragePath.StoragePath; readonly name: string }
  /** Other spellings of a name lead to its node here; no directory above is reported for this. */
  | { readonly finding: 'names are folded'; readonly directory: StoragePath.StoragePath }

export type AreaFinding =
  | Trouble
  /** A file or a directory whose name was looked for. */
  | { readonly finding: 'name looked for'; readonly path: StoragePath.StoragePath }
