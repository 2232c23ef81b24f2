import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { canopy } from '../canopy.js'

/** An account whose directory `d`, with so many files, everyone may list. */
export const plantListing = async (data: string, files: number): Promise<void> => {
  await canopy(data, 'account', 'create', '--id', '1', '--verified')
  await canopy(data, 'visibility', 'set', '1', '/', 'public')
  const directory = join(data, 'areas/1/d')
  mkdirSync(directory)
  for (let index = 0; index < files; index += 1) writeFileSync(join(directory, `a file with a name ${index}`), '')
}
