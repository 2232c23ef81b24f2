import type { World, WorldAccount, WorldDirectory, WorldFile, WorldNode, WorldTrigger } from '@canopy/testkit'

export const token = `cnp_${'a'.repeat(42)}A`

/** Nodes as a test writes them down. */
export const file = (name: string, size = 1n): WorldFile => ({ type: 'file', name, size, last_modified: 1n })
export const dir = (name: string, ...content: ReadonlyArray<WorldNode>): WorldDirectory => ({
  type: 'dir',
  name,
  last_modified: 1n,
  content,
})
export const files = (count: number, name = 'file'): ReadonlyArray<WorldFile> =>
  Array.from({ length: count }, (_, index) => file(`${name} ${index}`))

/** One verified account, 1, with a public root and a token for all of it. */
export const worldWith = (
  area: WorldAccount['area'] = [],
  account: Partial<WorldAccount> = {},
  triggers: ReadonlyArray<WorldTrigger> = [],
): World => ({
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [{ token, scope: '/', state: 'valid' }],
      settings: [{ path: '/', visibility: 'public' }],
      area,
      ...account,
    },
  ],
  triggers,
})
