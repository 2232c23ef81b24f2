import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { made } from './readme.js'

describe('the example of the README', () => {
  let home = ''
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'canopy-readme-'))
  })
  afterEach(() => {
    rmSync(home, { recursive: true })
  })

  it('does what it says', async () => {
    writeFileSync(join(home, 'file'), '')
    const directory = join(home, 'a', 'b')
    expect([await made(directory), await made(directory), await made(join(home, 'file', 'c'))]).toEqual([
      'new',
      'there before',
      'EEXIST',
    ])
  })
})
