import { errnoOf, makeDirectory } from '@canopy/files'

/** `new`, `there before`, or why not: `EEXIST` where a file stands in the way, `EACCES` where this user may not. */
export const made = (directory: string): Promise<string> =>
  makeDirectory(directory).then((isNew) => (isNew ? 'new' : 'there before'), errnoOf)
