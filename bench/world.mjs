import { join } from 'node:path'
import { canopy, createPublic } from './canopy.mjs'
import { plantFiles, plantTree } from './plant.mjs'

export const listingSizes = [10, 100, 1_000, 10_000]
export const treeOf = { breadths: [20], files: 49 }

const userListing = '/api/usercontent/v1/diritems/id/1'
const ruledListing = '/api/usercontent/v1/diritems/id/2'
const patterns = ['.*', '*.key', '*.pem', '*.kdbx', '@eaDir', 'Thumbs.db', '~*', '*.tmp', 'id_rsa*', '*.bak']

/** What most cases measure: one account, directories of files, a tree and a trigger. */
export const plantWorld = async (data) => {
  const run = canopy(data)
  await createPublic(run, '1')
  await createPublic(run, '2', '--area', '1')
  for (const pattern of patterns) await run('rule', 'add', '2', pattern, 'private')
  const { token } = await run('token', 'issue', '1')
  const { id } = await run('trigger', 'create', '--type', 'webhook', '--value', '{"url":"/hooks/1","after":60}')
  const area = join(data, 'areas/1')
  for (const size of listingSizes) await plantFiles(join(area, `e${size}`), size)
  await plantTree(join(area, 'tree'), treeOf.breadths, treeOf.files)
  return {
    data,
    area,
    listing: (size) => `${userListing}/e${size}`,
    /** The same area, with ten rules. */
    ruledListing: (size) => `${ruledListing}/e${size}`,
    ownListing: (size) => `/api/storage/v1/diritems/${token}/e${size}`,
    tree: '/api/usercontent/v1/tree/id/1/tree',
    peek: `/api/triggers/v1/peek/${id}`,
  }
}
