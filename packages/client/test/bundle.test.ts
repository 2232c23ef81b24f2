import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bundled } from './browser/bundled.js'

const maxBytes = 12 * 1024

describe('the client in a bundle for browsers', () => {
  it('takes at most 12 KB, minified and compressed', async () => {
    const { code } = await bundled('../../src/index.ts')
    expect(code).toContain('diritems')
    const bytes = gzipSync(code).length
    console.log(`@canopy/client in a bundle: ${code.length} bytes minified, ${bytes} with gzip`)
    expect(bytes).toBeLessThanOrEqual(maxBytes)
  })

  it('has no dependencies and uses no API of Node', async () => {
    const { code, modules } = await bundled('../../src/index.ts')
    expect(modules.filter((file) => !file.includes('/packages/client/src/'))).toEqual([])
    expect(code).not.toMatch(/from\s*["']|\brequire\(["']|\bprocess\.|\bBuffer\./)
  })
})
