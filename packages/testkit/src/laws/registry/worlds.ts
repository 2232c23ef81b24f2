import type { WorldAccount, WorldSetting, WorldToken, WorldTrigger } from '../../World.js'

/** A well-formed token of its own for every number. */
export const tokenOf = (n: number): string => `cnp_${String(n).padStart(42, 'A')}A`

export const validToken = (token: string, scope = '/'): WorldToken => ({ token, scope, state: 'valid' })

export const account = (
  id: string,
  { tokens = [], settings = [], verified = true }: Partial<WorldAccount> = {},
): WorldAccount => ({ id, verified, tokens, settings, area: [] })

export const publicAt = (path: string): WorldSetting => ({ path, visibility: 'public' })

export const trigger = (id: string, value = '{"type":"t"}', state: WorldTrigger['state'] = 'valid'): WorldTrigger => ({
  id,
  value,
  state,
})

/** Where a number held in 32, 53 or 63 bits, or as text without padding, goes wrong. */
export const tellingIds: ReadonlyArray<string> = [
  '0',
  '1',
  '9',
  '10',
  '100',
  '4294967295',
  '4294967296',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551614',
  '18446744073709551615',
]
