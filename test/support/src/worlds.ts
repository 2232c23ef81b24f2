import { file, type World, type WorldAccount, type WorldFile, type WorldTrigger } from '@canopy/testkit'

export { dir, file } from '@canopy/testkit'

export const token = `cnp_${'a'.repeat(42)}A`

export const files = (count: number, name = 'file'): ReadonlyArray<WorldFile> =>
  Array.from({ length: count }, (_, index) => file(`${name} ${index}`))

/** The verified account 1 with a public root and a token. */
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
