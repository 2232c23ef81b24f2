import { StoragePath, UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import type { Trouble } from '@canopy/storage-fs/admin'
import * as O from 'fp-ts/lib/Option.js'
import type { Finding } from './Finding.js'

const isGone = (errno: string): boolean => errno === 'ENOENT' || errno === 'ENOTDIR'

/** What the storage found in an area, as an operator should hear it. `directory` is the area's, absolute. */
export const areaFinding = ({ id: account }: Account, directory: string, found: Trouble): Finding => {
  const at = { account, path: O.some<string>('path' in found ? found.path : found.directory) }
  switch (found.finding) {
    case 'directory not readable':
      return found.directory === StoragePath.root && isGone(found.errno)
        ? {
            kind: 'missing area',
            account,
            path: O.none,
            message: `${directory} is no directory, so every request answers \`external\`: mount or make it, or \`canopy account delete ${UserId.toDecimal(account)}\``,
          }
        : {
            ...at,
            kind: 'unreadable directory',
            message: `the user that runs this may not read it (${found.errno}), and what the server may not read answers \`external\`: change its permissions`,
          }
    case 'node not known':
      return {
        ...at,
        kind: 'unknown node',
        message: `cannot be looked at (${found.errno}), so whoever would be shown it is answered \`external\`: if it is a mount that is dead, mount it again or unmount it`,
      }
    case 'name not listable':
      return {
        ...at,
        kind: 'unlistable name',
        message: `holds a name that is not UTF-8, ${found.name}, so nobody can see it: rename it`,
      }
    case 'names are folded':
      return {
        ...at,
        kind: 'folded names',
        message:
          'names that differ only in case or form are one file here; Canopy finds a node only by the name that its directory lists',
        note: true,
      }
    case 'path too long':
      return {
        ...at,
        kind: 'path too long',
        message: `holds ${found.name}, whose path is longer than ${StoragePath.maxBytes} bytes or ${StoragePath.maxSegments} names, so nobody can see it: move it upwards`,
      }
  }
}
