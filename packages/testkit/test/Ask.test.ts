import { describe, expect, it } from 'vitest'
import { type Ask, target } from '../src/scenarios/Scenario.js'

describe('the request target of an ask', () => {
  it.each<[Ask, string]>([
    [{ operation: 'storageTree', credential: 'T', path: '/a%20b', depth: 1 }, '/api/storage/v1/tree/T/a%20b?depth=1'],
    [{ operation: 'storageTree', credential: 'T', path: '' }, '/api/storage/v1/tree/T'],
    [{ operation: 'userContentTree', credential: '42', path: '/a/' }, '/api/usercontent/v1/tree/id/42/a/'],
    [
      { operation: 'storageDirItems', credential: '%54', path: '/..', limit: 2 },
      '/api/storage/v1/diritems/%54/..?limit=2',
    ],
    [
      { operation: 'userContentDirItems', credential: '42', path: '/', limit: 2, after: 'a&b é' },
      '/api/usercontent/v1/diritems/id/42/?limit=2&after=a%26b%20%C3%A9',
    ],
    [{ operation: 'triggerPeek', credential: 'x' }, '/api/triggers/v1/peek/x'],
  ])('%j is %s', (ask, raw) => {
    expect(target(ask)).toBe(raw)
  })
})
